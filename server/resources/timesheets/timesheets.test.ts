import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Currency } from '#core/values.ts'
import { amendmentsOf } from '#test/amendments.ts'
import { cases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { workItemCases } from '#test/work-item-cases.ts'
import { contractFor, kinds, workItemIn } from '#test/work-items.ts'
import { totalOf } from './rate.ts'

const shared = workItemCases('timesheets')
const { body } = kinds.timesheets

const on = (t: TestService, overrides: object = {}) => contractFor(t, 'timesheets', overrides)
const report = (given: object) => (at: Body) => ({ contract_id: at.contract_id, ...body, ...given })
const daily = { compensation: { amount: '48000', currency: 'JPY', scale: 'daily', frequency: 'monthly' } }

/** New terms that both have signed, in force from a date on. */
async function amend(t: TestService, { contract_id, worker }: Body, terms: object, effective_date = '2026-06-12') {
  const at = amendmentsOf(t, t.organization)
  const draft = await at.draft({ id: contract_id }, { terms, effective_date })
  await at.signForClient(draft)
  const signature = { signer_name: 'Jonas Weber', terms_version: 1 }
  await at.done(at.call('POST', `/worker${at.path(draft)}/sign`, signature, worker))
}

/** Has the terms change after `given`. */
const amended = (given: (t: TestService) => Promise<Body>, terms: object) => async (t: TestService) => {
  const made = await given(t)
  await amend(t, made, terms)
  return made
}
const pending = (t: TestService) => workItemIn(t, 'timesheets', 'pending')

const entering = {
  'a period has its last day by today': {
    given: on,
    input: report({ end_date: '2026-06-16' }),
    answers: '422 date_out_of_range',
    errors: ['/end_date'],
  },
  'a period begins with the contract or later': {
    given: on,
    input: report({ start_date: '2026-05-31' }),
    answers: '422 date_out_of_range',
    errors: ['/start_date'],
  },
  'a period does not end before it begins': {
    given: on,
    input: report({ end_date: '2026-06-07' }),
    answers: '422 date_out_of_range',
    errors: ['/end_date'],
  },
  'a day has 24 hours at most': {
    given: on,
    input: report({ start_date: '2026-06-12', quantity: '24.0001' }),
    answers: '422 quantity_exceeds_period',
    errors: ['/quantity'],
  },
  'a hundredth of an hour is the least': {
    given: on,
    input: report({ quantity: '0.0099' }),
    answers: '400 validation_failed',
    errors: ['/quantity'],
  },
  'another type of contract has no timesheets': {
    given: (t: TestService) =>
      on(t, { type: 'fixed_rate', compensation: { amount: '1.00', currency: 'EUR', frequency: 'monthly' } }),
    input: report({}),
    answers: '422 contract_type_unsupported',
    errors: ['/contract_id'],
  },
} as const

cases('timesheets.create', {
  ...shared.create,
  ...entering,
  'the least quantity is paid': {
    given: on,
    input: report({ quantity: '0.0100' }),
    body: { quantity: '0.01', total_amount: '0.45' },
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
  'the rate is that of the contract, the total rounded once': {
    given: on,
    input: report({ quantity: '38.5000' }),
    body: { quantity: '38.5', scale: 'hourly', rate: '45.00', total_amount: '1732.50', currency: 'EUR' },
    emits: [['timesheet.created', { rate: '45.00', total_amount: '1732.50' }], 'timesheet.reviewed'],
  },
  'a period is one day unless its end is given': {
    given: (t) => on(t, daily),
    input: ({ contract_id }) => ({ contract_id, start_date: '2026-06-12', quantity: '1', description: 'Friday' }),
    body: { end_date: '2026-06-12', scale: 'daily', total_amount: '48000' },
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
  'a day is one day at most': {
    given: (t) => on(t, daily),
    input: report({ quantity: '5.0001' }),
    answers: '422 quantity_exceeds_period',
  },
  'a period of 31 days is accepted': {
    given: (t) => on(t, { start_date: '2026-05-01' }),
    input: report({ start_date: '2026-05-01', end_date: '2026-05-31' }),
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
  'one of 32 days is not': {
    given: (t) => on(t, { start_date: '2026-05-01' }),
    input: report({ start_date: '2026-05-01', end_date: '2026-06-01' }),
    answers: '422 date_out_of_range',
    errors: ['/end_date'],
  },
  'today is that of the contract’s zone': {
    // Noon in Berlin is the next day already in Kiritimati, 14 hours ahead of UTC.
    given: async (t) => {
      await t.clock.set('2026-06-15T10:30:00.000Z')
      return on(t, { timezone: 'Pacific/Kiritimati' })
    },
    input: report({ end_date: '2026-06-16' }),
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
  'the last day of an ended contract is the last that is paid': {
    given: async (t) => {
      const contract = await on(t)
      await t.call('POST', `/contracts/${contract.id}/terminate`, { body: { type: 'resignation' } })
      await t.clock.advance(2 * 86_400_000)
      return contract
    },
    input: report({ end_date: '2026-06-16' }),
    answers: '422 date_out_of_range',
    errors: ['/end_date'],
  },
  'the rate is that in force on the last day': {
    given: amended(on, { amount: '50.00' }),
    input: report({ end_date: '2026-06-11', quantity: '10' }),
    body: { rate: '45.00', total_amount: '450.00' },
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
  'from the day of an amendment on the rate is the new one': {
    given: amended(on, { amount: '50.00' }),
    input: report({ quantity: '10' }),
    body: { rate: '50.00', total_amount: '500.00' },
    emits: ['timesheet.created', 'timesheet.reviewed'],
  },
})

cases('worker.create_timesheet', { ...shared.worker_create, ...entering })
cases('timesheets.list', shared.list)
cases('worker.list_timesheets', shared.worker_list)
cases('timesheets.get', shared.get)
cases('worker.get_timesheet', shared.worker_get)

const changing = {
  'a changed period and quantity are reckoned anew': {
    input: { end_date: '2026-06-11', quantity: '7.3333' },
    body: { quantity: '7.3333', total_amount: '330.00' },
    emits: ['timesheet.updated'],
  },
  'they are judged anew': { input: { quantity: '9999' }, answers: '422 quantity_exceeds_period' },
  'days that have not come are refused': { input: { end_date: '2026-06-16' }, answers: '422 date_out_of_range' },
} as const

const unmet = { contract_type_unsupported: 'a contract never changes its type: the cases of create meet it' }

const changingFor = (by: 'client' | 'worker') =>
  Object.fromEntries(
    Object.entries(changing).map(([name, row]) => [
      name,
      { ...row, given: (t: TestService) => workItemIn(t, 'timesheets', 'pending', { by }) },
    ]),
  )

cases(
  'timesheets.update',
  {
    ...shared.update,
    ...changingFor('client'),
    'a change takes the rate of now': {
      given: amended(pending, { amount: '50.00' }),
      input: { quantity: '10' },
      body: { rate: '50.00', total_amount: '500.00' },
      emits: [['timesheet.updated', { changed_fields: ['quantity'] }]],
    },
  },
  { unmet },
)
cases('worker.update_timesheet', { ...shared.worker_update, ...changingFor('worker') }, { unmet })
cases('timesheets.delete', shared.delete)
cases('worker.delete_timesheet', shared.worker_delete)

cases('timesheets.review', {
  ...shared.review,
  'the rate is frozen as it is at the approval': {
    given: amended(pending, { amount: '50.00' }),
    input: { status: 'approved' },
    body: { rate: '50.00', total_amount: '1925.00' },
    emits: ['timesheet.reviewed'],
    afterwards: async (t, { given, body: approved }) => {
      await amend(t, given, { amount: '60.00' })
      assert.deepEqual((await t.call('GET', `/timesheets/${given.id}`)).body, approved)
    },
  },
  'hours are not approved as days': {
    given: amended(pending, { scale: 'daily' }),
    input: { status: 'approved' },
    answers: '409 invalid_state',
  },
})
cases('timesheets.review_many', shared.review_many)

const totals: [quantity: string, rate: string, Currency, total: string][] = [
  ['36.25', '45.00', 'EUR', '1631.25'],
  ['7.3333', '33.33', 'EUR', '244.42'],
  ['0.25', '0.10', 'EUR', '0.03'],
  ['1.5', '48001', 'JPY', '72002'],
  ['7.3333', '12.345', 'KWD', '90.530'],
]
test('R1: a total is quantity × rate, rounded once, half away from zero', () => {
  for (const [quantity, rate, currency, total] of totals) assert.equal(totalOf(quantity, rate, currency), total)
})
