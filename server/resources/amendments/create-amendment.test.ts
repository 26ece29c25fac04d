import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Amendments, ahead, amendmentsOf, raise } from '#test/amendments.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'

let service: TestService
let at: Amendments
before(async () => {
  service = await startTestService()
  await service.clock.set('2026-03-18T09:00:00Z')
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
})
after(() => service.close())

const create = (contract: { id: string }, body: unknown): Promise<TestAnswer> =>
  at.call('POST', `/contracts/${contract.id}/amendments`, body)

test('a draft shows the change, what it makes of the terms, and that nobody has signed', async () => {
  const contract = await at.activeContract({ title: 'Platform engineering' })
  await service.takeEvents(at.organization.id)
  const body = {
    terms: { amount: '4500', payment_due_days: 14 },
    effective_date: '2026-04-01',
    reason: 'yearly review',
  }
  const { status, body: amendment, headers } = await create(contract, body)
  assert.equal(status, 201, JSON.stringify(amendment))
  assert.match(String(headers.location), new RegExp(`/contracts/${contract.id}/amendments/${amendment.id}$`))
  const { id, created_at, updated_at, created_by, terms_digest: _, ...rest } = amendment
  assert.equal(created_by.kind, 'token')
  assert.equal(created_at, updated_at)
  const changes = [
    { field: 'amount', from: '4200.00', to: '4500.00' },
    { field: 'payment_due_days', from: 7, to: 14 },
  ]
  assert.deepEqual(rest, {
    contract_id: contract.id,
    status: 'initial',
    sign_status: 'pending',
    contract_name: 'Platform engineering',
    contract_type: 'fixed_rate',
    effective_date: '2026-04-01',
    reason: 'yearly review',
    terms: { amount: '4500.00', payment_due_days: 14 },
    changes,
    amount: '4500.00',
    scale: 'monthly',
    currency: 'EUR',
    terms_version: 1,
    client_signed_at: null,
    client_signed_by: null,
    worker_signed_at: null,
    activated_at: null,
    outdated_at: null,
    declined_at: null,
    declined_by: null,
    decline_reason: null,
  })
  assert.deepEqual(await service.takeEvents(at.organization.id), [
    {
      event_type: 'contract.amendment.created',
      resource: [
        {
          contract_id: contract.id,
          worker_email: contract.worker_email,
          type: contract.type,
          country: contract.country,
          amendment_id: id,
          status: 'initial',
          sign_status: 'pending',
          created_at,
          effective_date: '2026-04-01',
          contract_status: 'active',
          changes,
        },
      ],
    },
  ])
  assert.deepEqual(await at.get(amendment), amendment)
})

const milestone = { type: 'milestone', compensation: { currency: 'EUR', frequency: 'monthly' } }

test('a contract has one open amendment at a time', async () => {
  const contract = await at.activeContract()
  for (const status of ['initial', 'pending'] as const) {
    const open = await at.inStatus(status, contract)
    const answer = await create(contract, { terms: { job_title: 'Lead' } })
    assert.deepEqual([answer.status, answer.body.code], [409, 'open_amendment_exists'])
    await at.done(at.call('POST', `${at.path(open)}/withdraw`))
  }
  await at.draft(contract)
})

test('of two drafts at once one is made and the other meets it', async () => {
  const contract = await at.activeContract()
  const answers = await Promise.all([create(contract, raise), create(contract, raise), create(contract, raise)])
  const outcomes = answers.map(({ status, body }) => [status, body.code ?? body.status]).sort()
  assert.deepEqual(outcomes, [
    [201, 'initial'],
    [409, 'open_amendment_exists'],
    [409, 'open_amendment_exists'],
  ])
})

test('a repeated key makes one draft', async () => {
  const contract = await at.activeContract()
  const { token } = at.organization
  const once = () =>
    service.call('POST', `/contracts/${contract.id}/amendments`, {
      token,
      body: raise,
      headers: { 'idempotency-key': 'raise-2026' },
    })
  const first = await once()
  const second = await once()
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
})

test('the date of an approved amendment is taken, for drafts and for the second signature', async () => {
  const contract = await at.activeContract()
  const first = await at.agreed(contract, { ...raise, effective_date: '2026-04-01' })
  assert.equal(first.status, 'approved')
  const taken = await create(contract, { terms: { job_title: 'Lead' }, effective_date: '2026-04-01' })
  assert.deepEqual([taken.status, taken.body.code], [409, 'effective_date_taken'])
  // Without a date, cycle terms take the first day of the next cycle when they are signed: the same day.
  const open = await at.signForClient(await at.draft(contract, { terms: { frequency: 'weekly' } }))
  const { status, body } = await at.call('POST', `/sandbox${at.path(open)}/worker-signature`, {})
  assert.deepEqual([status, body.code], [409, 'effective_date_taken'])
  assert.equal((await at.get(open)).status, 'pending')
})

test('an update replaces the terms as a whole, keeps what it does not name, and is judged like a draft', async () => {
  const contract = await at.activeContract()
  const draft = await at.draft(contract, {
    terms: { amount: '4500.00', job_title: 'Lead' },
    effective_date: '2026-04-10',
  })
  const patch = (body: object) => at.call('PATCH', at.path(draft), body)
  const updated = await at.done(patch({ terms: { seniority: 'Senior' } }))
  assert.deepEqual(
    { terms: updated.terms, changes: updated.changes, amount: updated.amount, effective_date: updated.effective_date },
    {
      terms: { seniority: 'Senior' },
      changes: [{ field: 'seniority', from: null, to: 'Senior' }],
      amount: '4200.00',
      effective_date: '2026-04-10',
    },
  )
  const undated = await at.done(patch({ effective_date: null, reason: 'as talked' }))
  assert.deepEqual(
    [undated.effective_date, undated.reason, undated.terms],
    [null, 'as talked', { seniority: 'Senior' }],
  )
  const refused: [object, number, string][] = [
    [{}, 400, 'validation_failed'],
    [{ terms: { amount: '4200.00' } }, 422, 'nothing_to_change'],
    [{ effective_date: '2026-01-01' }, 422, 'date_out_of_range'],
    [{ terms: { frequency: 'weekly' }, effective_date: '2026-04-10' }, 422, 'effective_date_not_cycle_start'],
  ]
  for (const [body, status, code] of refused) {
    const answer = await patch(body)
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
  }
  assert.deepEqual(await at.get(draft), undated)
})

test('a change of cycles shows all that follows from it, and waits for the next cycle', async () => {
  const contract = await at.activeContract()
  const draft = await at.draft(contract, { terms: { frequency: 'weekly' } })
  assert.deepEqual(draft.changes, [
    { field: 'scale', from: 'monthly', to: 'weekly' },
    { field: 'frequency', from: 'monthly', to: 'weekly' },
    { field: 'cycle_end_type', from: 'day_of_month', to: 'day_of_week' },
    { field: 'cycle_end', from: 31, to: 7 },
  ])
  assert.deepEqual([draft.effective_date, draft.scale], [null, 'weekly'])
  const approved = await at.signForWorker(await at.signForClient(draft))
  assert.deepEqual([approved.status, approved.effective_date], ['approved', '2026-04-01'])
})

test('a milestone contract has no amount to amend, but other terms', async () => {
  const contract = await at.activeContract(milestone)
  const active = await at.agreed(contract, { terms: { scope_of_work: 'Two more screens' } })
  assert.deepEqual([active.status, active.amount, active.scale], ['active', null, null])
})

test('an end that is moved moves the last day and with it the end of the contract', async () => {
  const contract = await at.activeContract({ end_date: ahead(service, 60) })
  await at.agreed(contract, { terms: { end_date: ahead(service, 90) } })
  const { end_date, last_day } = await at.contract(contract)
  assert.deepEqual([end_date, last_day], [ahead(service, 90), ahead(service, 90)])
  await service.clock.advance(62 * 86_400_000)
  await service.timers.runDue()
  assert.equal((await at.contract(contract)).status, 'active')
  await service.clock.advance(30 * 86_400_000)
  await service.timers.runDue()
  assert.equal((await at.contract(contract)).status, 'completed')
})
