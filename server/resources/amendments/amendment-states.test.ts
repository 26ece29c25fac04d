import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Amendments, ahead, amendmentsOf, raise } from '#test/amendments.ts'
import { startTestService, type TestService } from '#test/service.ts'

// Consequences of the steps of domain rules 3.2; the steps themselves are the cases of each operation.

let service: TestService
let at: Amendments
before(async () => {
  service = await startTestService()
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
})
after(() => service.close())

const signed = 'contract.amendment.signed'
const moved = 'contract.amendment.status.updated'
const refused = 'contract.amendment.declined'

const later = () => ({ ...raise, effective_date: ahead(service, 40) })

test('a second signature before the effective date approves the amendment and leaves the contract as it is', async () => {
  const contract = await at.activeContract()
  const amendment = await at.signForClient(await at.draft(contract, later()))
  const token = await at.mint(contract.worker_id)
  await at.events()
  const { body } = await at.call(
    'POST',
    `/worker${at.path(amendment)}/sign`,
    { signer_name: 'Jonas Weber', terms_version: 1 },
    token,
  )
  assert.deepEqual([body.status, body.sign_status, body.activated_at], ['approved', 'approved', null])
  assert.deepEqual(await at.events(), [signed, moved])
  assert.deepEqual(await at.contract(contract), contract)
})

test('an amendment that becomes active outdates the one before it', async () => {
  const contract = await at.activeContract()
  const first = await at.agreed(contract)
  const second = await at.signForClient(await at.draft(contract, { terms: { job_title: 'Lead' } }))
  await service.takeEvents(at.organization.id)
  const active = await at.signForWorker(second)
  const events = await service.takeEvents(at.organization.id)
  assert.deepEqual(
    events.map(({ event_type, resource }) => [event_type, resource[0]?.amendment_id]),
    [
      [signed, second.id],
      [moved, second.id],
      ['contract.amended', second.id],
      [moved, first.id],
    ],
  )
  const { previous_status, previous_sign_status, status, sign_status } = events[3]?.resource[0] ?? {}
  assert.deepEqual(
    { previous_status, previous_sign_status, status, sign_status },
    { previous_status: 'active', previous_sign_status: 'approved', status: 'outdated', sign_status: 'approved' },
  )
  const outdated = await at.get(first)
  assert.deepEqual([outdated.status, outdated.sign_status], ['outdated', 'approved'])
  assert.ok(outdated.outdated_at)
  const { current_amendment_id, compensation, job_title } = await at.contract(contract)
  assert.deepEqual(
    { current_amendment_id, amount: compensation.amount, job_title },
    { current_amendment_id: active.id, amount: '4500.00', job_title: 'Lead' },
  )
})

test('a signature tells who signed and when, and never a name that was not given', async () => {
  const contract = await at.activeContract()
  const amendment = await at.draft(contract)
  await service.takeEvents(at.organization.id)
  const byClient = await at.signForClient(amendment)
  const byBoth = await at.signForWorker(amendment)
  const entries = (await service.takeEvents(at.organization.id))
    .filter(({ event_type }) => event_type === signed)
    .map(({ resource }) => resource[0])
  assert.deepEqual(
    entries.map((entry) => [entry?.party, entry?.signed_at, entry?.status]),
    [
      ['client', byClient.client_signed_at, 'pending'],
      ['worker', byBoth.worker_signed_at, 'active'],
    ],
  )
  assert.equal(byClient.client_signed_by.kind, 'token')
  assert.equal(byClient.worker_signed_at, null)
  assert.equal(byBoth.client_signed_at, byClient.client_signed_at)
})

test('a withdrawal and a refusal say who and why', async () => {
  const contract = await at.activeContract()
  const withdrawn = await at.call('POST', `${at.path(await at.draft(contract))}/withdraw`, { reason: 'not needed' })
  assert.equal(withdrawn.body.decline_reason, 'not needed')
  assert.equal(withdrawn.body.declined_by.kind, 'token')
  const pending = await at.signForClient(await at.draft(contract))
  const worker = await at.mint(contract.worker_id)
  const { body } = await at.call('POST', `/worker${at.path(pending)}/decline`, { reason: 'too low' }, worker)
  assert.equal(body.decline_reason, 'too low')
  assert.deepEqual([body.declined_by.kind, body.declined_by.id], ['worker', contract.worker_id])
  assert.ok(body.declined_at)
})

test('when the contract ends, what is agreed is outdated and what is open is declined', async () => {
  const contract = await at.activeContract()
  const active = await at.agreed(contract)
  const approved = await at.agreed(contract, { terms: { amount: '4800.00' }, effective_date: ahead(service, 40) })
  const open = await at.draft(contract, { terms: { job_title: 'Lead' } })
  await service.takeEvents(at.organization.id)
  await at.done(at.call('POST', `/contracts/${contract.id}/terminate`, { type: 'termination' }))
  const events = await service.takeEvents(at.organization.id)
  assert.deepEqual(
    events
      .filter(({ event_type }) => event_type.startsWith('contract.amendment'))
      .map(({ event_type, resource }) => [event_type, resource[0]?.amendment_id, resource[0]?.contract_status]),
    [
      [moved, active.id, 'terminated'],
      [moved, approved.id, 'terminated'],
      [refused, open.id, 'terminated'],
      [moved, open.id, 'terminated'],
    ],
  )
  const ended = await Promise.all([active, approved, open].map((amendment) => at.get(amendment)))
  assert.deepEqual(
    ended.map(({ status, sign_status, decline_reason }) => [status, sign_status, decline_reason]),
    [
      ['outdated', 'approved', null],
      ['outdated', 'approved', null],
      ['declined', 'declined', 'contract_ended'],
    ],
  )
  assert.equal(ended[2].declined_by.kind, 'system')
  assert.equal((await at.contract(contract)).current_amendment_id, null)
  await service.clock.advance(50 * 86_400_000)
  await service.timers.runDue()
  assert.equal((await at.get(approved)).status, 'outdated')
})
