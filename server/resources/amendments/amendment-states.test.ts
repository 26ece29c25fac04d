import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import { type AmendmentStatus, amendment_statuses } from './amendment.ts'
import { type Amendments, ahead, amendmentsOf, raise } from './amendments-for-test.ts'

// domain rules 3.2: who, from, to, and the events in their order. Timed rows are in effective-amendment.test.ts.

let service: TestService
let at: Amendments
before(async () => {
  service = await startTestService()
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
})
after(() => service.close())

type Act = (amendment: TestAnswer['body'], worker: string) => Promise<TestAnswer>

/** Every trigger that names an amendment, and the statuses it is possible in. */
const triggers: Record<string, { act: Act; from: AmendmentStatus[] }> = {
  'amendments.update': {
    act: (amendment) => at.call('PATCH', at.path(amendment), { reason: 'because' }),
    from: ['initial'],
  },
  'amendments.sign': {
    act: (amendment) => at.call('POST', `${at.path(amendment)}/sign`, { signer_name: 'Nora Adler' }),
    from: ['initial'],
  },
  'amendments.withdraw': {
    act: (amendment) => at.call('POST', `${at.path(amendment)}/withdraw`, { reason: 'not needed' }),
    from: ['initial', 'pending'],
  },
  'worker.sign_amendment': {
    act: (amendment, token) =>
      at.call('POST', `/worker${at.path(amendment)}/sign`, { signer_name: 'Jonas Weber', terms_version: 1 }, token),
    from: ['pending'],
  },
  'worker.decline_amendment': {
    act: (amendment, token) => at.call('POST', `/worker${at.path(amendment)}/decline`, { reason: 'too low' }, token),
    from: ['pending'],
  },
  'sandbox.sign_amendment': {
    act: (amendment) => at.call('POST', `/sandbox${at.path(amendment)}/worker-signature`, {}),
    from: ['pending'],
  },
}

const signed = 'contract.amendment.signed'
const moved = 'contract.amendment.status.updated'
const refused = 'contract.amendment.declined'

interface Row {
  trigger: keyof typeof triggers
  from: AmendmentStatus
  draft?: object
  to: [AmendmentStatus, string]
  events: string[]
}

const later = () => ({ ...raise, effective_date: ahead(service, 40) })

const rows: Row[] = [
  {
    trigger: 'amendments.update',
    from: 'initial',
    to: ['initial', 'pending'],
    events: ['contract.amendment.updated'],
  },
  { trigger: 'amendments.sign', from: 'initial', to: ['pending', 'waiting_for_approval'], events: [signed, moved] },
  { trigger: 'amendments.withdraw', from: 'initial', to: ['declined', 'declined'], events: [refused, moved] },
  { trigger: 'amendments.withdraw', from: 'pending', to: ['declined', 'declined'], events: [refused, moved] },
  { trigger: 'worker.decline_amendment', from: 'pending', to: ['declined', 'declined'], events: [refused, moved] },
  {
    trigger: 'worker.sign_amendment',
    from: 'pending',
    to: ['active', 'approved'],
    events: [signed, moved, 'contract.amended'],
  },
  {
    trigger: 'sandbox.sign_amendment',
    from: 'pending',
    to: ['active', 'approved'],
    events: [signed, moved, 'contract.amended'],
  },
]

for (const { trigger, from, to, events } of rows) {
  test(`${from} → ${trigger} → ${to.join(' / ')}`, async () => {
    const contract = await at.activeContract()
    const amendment = await at.inStatus(from, contract)
    const token = await at.mint(contract.worker_id)
    await at.events()
    const { status, body } = await acting(trigger)(amendment, token)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.status, body.sign_status], to)
    assert.deepEqual(await at.events(), events)
    assert.deepEqual(await at.get(amendment), body)
    assert.ok(body.updated_at > amendment.updated_at)
  })
}

test('a second signature before the effective date approves the amendment and leaves the contract as it is', async () => {
  const contract = await at.activeContract()
  const amendment = await at.signForClient(await at.draft(contract, later()))
  const token = await at.mint(contract.worker_id)
  await at.events()
  const { body } = await acting('worker.sign_amendment')(amendment, token)
  assert.deepEqual([body.status, body.sign_status, body.activated_at], ['approved', 'approved', null])
  assert.deepEqual(await at.events(), [signed, moved])
  assert.deepEqual(await at.contract(contract), contract)
})

for (const [trigger, { act, from }] of Object.entries(triggers)) {
  for (const status of amendment_statuses.filter((candidate) => !from.includes(candidate))) {
    test(`${trigger} is refused for an amendment that is ${status}`, async () => {
      const contract = await at.activeContract()
      const amendment = await at.inStatus(status, contract)
      const token = await at.mint(contract.worker_id)
      await at.events()
      const answer = await act(amendment, token)
      assert.equal(answer.status, 409, JSON.stringify(answer.body))
      assert.equal(answer.body.code, 'invalid_state')
      assert.deepEqual(await at.events(), [])
      assert.deepEqual(await at.get(amendment), amendment)
    })
  }
}

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
  const withdrawn = await acting('amendments.withdraw')(await at.draft(contract), '')
  assert.equal(withdrawn.body.decline_reason, 'not needed')
  assert.equal(withdrawn.body.declined_by.kind, 'token')
  const pending = await at.signForClient(await at.draft(contract))
  const { body } = await acting('worker.decline_amendment')(pending, await at.mint(contract.worker_id))
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

function acting(trigger: string): Act {
  const found = triggers[trigger]
  if (!found) throw new Error(`there is no trigger ${trigger}`)
  return found.act
}
