import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { createContract, insertNamed } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

const changed_fields = ['title', 'compensation.amount', 'compensation.cycle_end', 'tax.reverse_charge']

const change = (id: string, body: object) => service.call('PATCH', `/contracts/${id}`, { body })
const updated = { emits: ['contract.updated'] }
const locked = { answers: '409 terms_locked' } as const
const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const refused = (input: Record<string, unknown>, answers: NonNullable<Case['answers']>, at: string): Case => ({
  given: (t) => contractIn(t, 'pending'),
  input,
  answers,
  errors: [at],
})

cases('contracts.update', {
  ...eachState(
    'what is no term changes in every state',
    {
      pending: updated,
      client_signed: updated,
      worker_signed: updated,
      invited: updated,
      active: updated,
      terminating: updated,
      completed: updated,
      terminated: updated,
      cancelled: updated,
      rejected: updated,
    },
    { title: 'New title' },
  ),
  ...eachState(
    'terms change while the contract is pending only',
    {
      pending: updated,
      client_signed: updated,
      worker_signed: updated,
      invited: updated,
      active: locked,
      terminating: locked,
      completed: locked,
      terminated: locked,
      cancelled: locked,
      rejected: locked,
    },
    { compensation: { amount: '5000.00' } },
  ),
  'the event and the audit line name the fields, inner ones by their path': {
    given: (t) => contractIn(t, 'pending'),
    input: { title: 'x', compensation: { amount: '1.00', cycle_end: 5 }, tax: { reverse_charge: true } },
    emits: ({ contract_id }) => [['contract.updated', { contract_id, title: 'x', changed_fields }]],
    audit: ({ contract_id }) => ({ subject_kind: 'contracts', subject_id: contract_id, changed_fields }),
  },
  'terms that do not fit together are refused': refused(
    { compensation: { cycle_end: 9, frequency: 'weekly' } },
    '422 invalid_terms',
    '/compensation/cycle_end',
  ),
  'too many decimals are refused': refused(
    { compensation: { amount: '1.005' } },
    '422 amount_precision',
    '/compensation/amount',
  ),
  'an end before the start is refused': refused({ end_date: '2026-06-14' }, '422 date_out_of_range', '/end_date'),
  'an unknown team is refused': refused({ team_id: unknown }, '422 reference_not_found', '/team_id'),
})

for (const [state, body, signatures_cleared] of [
  ['client_signed', { job_title: 'Lead' }, true],
  ['worker_signed', { compensation: { payment_due_days: 30 } }, true],
  ['client_signed', { title: 'Other', tax: { vat_rate: '19' } }, false],
  ['pending', { job_title: 'Lead' }, false],
] as const) {
  const words = Object.keys(body).join(', ')
  test(`a ${state} contract ${signatures_cleared ? 'loses its signature' : 'loses none'} by a change of ${words}`, async () => {
    const { id } = await contractIn(service, state)
    const signatures = (await service.call('GET', `/contracts/${id}`)).body.signatures
    await service.takeEvents()
    const answer = await change(id, body)
    assert.deepEqual(answer.body.signatures, {
      ...signatures,
      ...(signatures_cleared && {
        client_name: null,
        client_signed_at: null,
        client_signed_by: null,
        worker_name: null,
        worker_signed_at: null,
      }),
    })
    const [event] = await service.takeEvents()
    assert.equal(event?.resource[0]?.signatures_cleared, signatures_cleared)
  })
}

test('a cleared contract is signed anew by both', async () => {
  const { id } = await contractIn(service, 'client_signed')
  await change(id, { start_date: '2026-07-01' })
  const signed = await service.call('POST', `/contracts/${id}/sign`, { body: { signer_name: 'Nora' } })
  assert.equal(signed.status, 200)
})

test('objects are merged field by field and absent fields stay', async () => {
  const { id } = await createContract(service, { tax: { vat_rate: '19' }, region: 'BE', job_title: 'Engineer' })
  const { body } = await change(id, { compensation: { payment_due_days: 14 }, tax: { reverse_charge: true } })
  assert.partialDeepStrictEqual(body, {
    region: 'BE',
    job_title: 'Engineer',
    compensation: { amount: '4200.00', frequency: 'monthly', payment_due_days: 14 },
    tax: { vat_rate: '19', reverse_charge: true },
  })
})

test('a new frequency takes its own cycle end and scale', async () => {
  const { id } = await contractIn(service, 'pending')
  const { body } = await change(id, { compensation: { frequency: 'weekly' } })
  assert.partialDeepStrictEqual(body.compensation, {
    frequency: 'weekly',
    scale: 'weekly',
    cycle_end_type: 'day_of_week',
    cycle_end: 7,
  })
})

test('null clears what may be empty', async () => {
  const team_id = await insertNamed(service, 'teams', 'Design')
  const given = {
    external_id: 'cleared',
    team_id,
    region: 'BE',
    end_date: '2026-12-31',
    job_title: 'a',
    seniority: 'b',
    scope_of_work: 'c',
    special_clause: 'd',
    tax: { vat_rate: '19' },
  }
  const { id, last_day } = await createContract(service, given)
  assert.equal(last_day, '2026-12-31')
  const cleared = {
    external_id: null,
    region: null,
    end_date: null,
    job_title: null,
    seniority: null,
    scope_of_work: null,
    special_clause: null,
    tax: { vat_rate: null },
  }
  const { status, body } = await change(id, { ...cleared, team_id: null })
  assert.equal(status, 200, JSON.stringify(body))
  assert.partialDeepStrictEqual(body, {
    ...cleared,
    team: null,
    last_day: null,
    tax: { vat_rate: null, reverse_charge: false },
  })
})

test('null gives the end of a cycle its default', async () => {
  const compensation = { amount: '1.00', currency: 'EUR', frequency: 'monthly' }
  const last_friday = { cycle_end_type: 'day_of_last_week', cycle_end: 5 }
  const { id } = await createContract(service, { compensation: { ...compensation, ...last_friday } })
  const { status, body } = await change(id, { compensation: { cycle_end_type: null, cycle_end: null } })
  assert.equal(status, 200, JSON.stringify(body))
  assert.partialDeepStrictEqual(body.compensation, { cycle_end_type: 'day_of_month', cycle_end: 31 })
})

for (const body of [
  { title: null },
  { start_date: null },
  { notice_period_days: null },
  { compensation: null },
  { compensation: { payment_due_days: null } },
  { compensation: { pay_before_weekends: null } },
  { compensation: { proration: null } },
  { compensation: { scale: null } },
  { tax: null },
  { tax: { reverse_charge: null } },
  { custom_fields: null },
  // Fixed after the creation, or the server's.
  { type: 'employee' },
  { worker_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
  { legal_entity_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
  { country: 'FR' },
  { timezone: 'Europe/Paris' },
  { compensation: { currency: 'USD' } },
  { status: 'active' },
  { last_day: '2026-12-31' },
  {},
]) {
  test(`${JSON.stringify(body)} is no change that can be made`, async () => {
    const { id } = await contractIn(service, 'pending')
    const { status, body: refusal } = await change(id, body)
    assert.deepEqual([status, refusal.code], [400, 'validation_failed'])
  })
}

for (const [body, code, pointer] of [
  [{ compensation: { amount: null } }, 'invalid_terms', '/compensation/amount'],
  [{ compensation: { frequency: null } }, 'invalid_terms', '/compensation/frequency'],
  [{ compensation: { amount: '1.005' } }, 'amount_precision', '/compensation/amount'],
  [{ compensation: { cycle_end_type: 'day_of_week' } }, 'invalid_terms', '/compensation/cycle_end_type'],
  [{ end_date: '2026-06-14' }, 'date_out_of_range', '/end_date'],
  [{ start_date: '2028-06-16' }, 'date_out_of_range', '/start_date'],
  [{ team_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' }, 'reference_not_found', '/team_id'],
] as const) {
  test(`${JSON.stringify(body)} is refused with ${code}`, async () => {
    const { id } = await contractIn(service, 'pending')
    const { status, body: refusal } = await change(id, body)
    assert.deepEqual([status, refusal.code, refusal.errors[0].pointer], [422, code, pointer])
  })
}

test('the refusal of locked terms names the amendment where one is possible', async () => {
  const detailOf = async (status: 'active' | 'cancelled') =>
    (await change((await contractIn(service, status)).id, { end_date: '2030-01-31' })).body.detail
  assert.match(
    await detailOf('active'),
    /is active;.*Propose an amendment: POST \/contracts\/\{contract_id\}\/amendments\.$/,
  )
  assert.doesNotMatch(await detailOf('cancelled'), /amendment/)
})

test('locked terms are told field by field', async () => {
  const { id } = await contractIn(service, 'active')
  const { status, body } = await change(id, { title: 'x', end_date: null, compensation: { amount: '1.00' } })
  assert.deepEqual([status, body.code], [409, 'terms_locked'])
  assert.deepEqual(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/end_date', '/compensation/amount'],
  )
})

test('a new title is found, the old one no more', async () => {
  const { id } = await createContract(service, { title: 'Gardening' })
  await change(id, { title: 'Landscaping' })
  const found = async (search: string) =>
    (await service.call('GET', '/contracts', { query: { search } })).body.total_count
  assert.deepEqual([await found('landsc'), await found('garden')], [1, 0])
})

test('a change is seen by a client that synchronizes from the former time on', async () => {
  const { id, updated_at } = await createContract(service)
  await change(id, { title: 'Changed in the same millisecond' })
  const { body } = await service.call('GET', '/contracts', { query: { updated_after: updated_at } })
  assert.ok(body.data.some((row: { id: string }) => row.id === id))
})
