import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import { type Amendments, ahead, amendmentsOf, raise } from './amendments-for-test.ts'

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

interface Refusal {
  name: string
  /** Fields of the contract's body. */
  of?: Record<string, unknown>
  body: unknown
  status: number
  code: string
  pointer?: string
}

const milestone = { type: 'milestone', compensation: { currency: 'EUR', frequency: 'monthly' } }
const employee = { type: 'employee', compensation: { currency: 'EUR', amount: '6500.00' } }

const refusals: Refusal[] = [
  { name: 'without terms', body: {}, status: 400, code: 'validation_failed', pointer: '/terms' },
  { name: 'with empty terms', body: { terms: {} }, status: 400, code: 'validation_failed', pointer: '/terms' },
  {
    name: 'of what cannot be amended',
    body: { terms: { currency: 'USD' } },
    status: 400,
    code: 'validation_failed',
    pointer: '/terms/currency',
  },
  {
    name: 'of the start',
    body: { terms: { start_date: '2026-05-01' } },
    status: 400,
    code: 'validation_failed',
    pointer: '/terms/start_date',
  },
  {
    name: 'with money as a number',
    body: { terms: { amount: 4500 } },
    status: 400,
    code: 'validation_failed',
    pointer: '/terms/amount',
  },
  {
    name: 'of nothing, not even of an amount of zero',
    body: { terms: { amount: '0.00' } },
    status: 400,
    code: 'validation_failed',
    pointer: '/terms/amount',
  },
  {
    name: 'with an unknown field',
    body: { ...raise, signer_name: 'Nora' },
    status: 400,
    code: 'validation_failed',
    pointer: '/signer_name',
  },
  {
    name: 'with too long a reason',
    body: { ...raise, reason: 'x'.repeat(2_001) },
    status: 400,
    code: 'validation_failed',
    pointer: '/reason',
  },
  {
    name: 'with too many decimals',
    body: { terms: { amount: '4500.001' } },
    status: 422,
    code: 'amount_precision',
    pointer: '/terms/amount',
  },
  {
    name: 'with trailing zeros beyond the currency',
    of: { compensation: { amount: '480000', currency: 'JPY', frequency: 'monthly' } },
    body: { terms: { amount: '490000.0' } },
    status: 422,
    code: 'amount_precision',
    pointer: '/terms/amount',
  },
  {
    name: 'that fit another type of contract',
    of: milestone,
    body: { terms: { amount: '100.00' } },
    status: 422,
    code: 'invalid_terms',
    pointer: '/terms/amount',
  },
  {
    name: 'of cycles on an employee contract',
    of: employee,
    body: { terms: { frequency: 'monthly' } },
    status: 422,
    code: 'invalid_terms',
    pointer: '/terms/frequency',
  },
  {
    name: 'with a scale that is not the frequency',
    body: { terms: { scale: 'hourly' } },
    status: 422,
    code: 'invalid_terms',
    pointer: '/terms/scale',
  },
  {
    name: 'that are in force already',
    body: { terms: { amount: '4200' } },
    status: 422,
    code: 'nothing_to_change',
    pointer: '/terms',
  },
  {
    name: 'from a closed cycle',
    of: { start_date: '2026-01-15' },
    body: { ...raise, effective_date: '2026-02-28' },
    status: 422,
    code: 'date_out_of_range',
    pointer: '/effective_date',
  },
  {
    name: 'from more than 731 days ahead',
    body: { ...raise, effective_date: '2028-03-19' },
    status: 422,
    code: 'date_out_of_range',
    pointer: '/effective_date',
  },
  {
    name: 'from after the end of the contract',
    of: { end_date: '2026-06-30' },
    body: { ...raise, effective_date: '2026-07-01' },
    status: 422,
    code: 'date_out_of_range',
    pointer: '/effective_date',
  },
  {
    name: 'that end the contract in the past',
    body: { terms: { end_date: '2026-03-17' } },
    status: 422,
    code: 'date_out_of_range',
    pointer: '/terms/end_date',
  },
  {
    name: 'of cycles from the middle of one',
    body: { terms: { frequency: 'weekly' }, effective_date: '2026-04-10' },
    status: 422,
    code: 'effective_date_not_cycle_start',
    pointer: '/effective_date',
  },
]

for (const { name, of, body, status, code, pointer } of refusals) {
  test(`terms ${name} are refused with ${code}`, async () => {
    const contract = await at.activeContract(of)
    await at.events()
    const answer = await create(contract, body)
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
    assert.equal(answer.body.errors[0].pointer, pointer)
    assert.deepEqual(await at.events(), [])
    const { total_count } = await at.done(at.call('GET', `/contracts/${contract.id}/amendments`))
    assert.equal(total_count, 0)
  })
}

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

test('only an active contract is amended', async () => {
  const pending = await createContract(service, {}, at.organization)
  const ended = await at.activeContract()
  await at.done(at.call('POST', `/contracts/${ended.id}/terminate`, { type: 'resignation' }))
  for (const contract of [pending, ended]) {
    const { status, body } = await create(contract, raise)
    assert.deepEqual([status, body.code], [409, 'invalid_state'])
  }
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
