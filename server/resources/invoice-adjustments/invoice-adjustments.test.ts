import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { workItemCases } from '#test/work-item-cases.ts'
import { asInvoicing, contractFor, enter, kinds, workItemIn } from '#test/work-items.ts'
import { adjustmentsToPay, recur } from './index.ts'

const shared = workItemCases('invoice_adjustments')
const { body } = kinds.invoice_adjustments

const on = (t: TestService, overrides: object = {}) => contractFor(t, 'invoice_adjustments', overrides)
const adjust = (given: object) => (at: Body) => ({ contract_id: at.contract_id, ...body, ...given })
const paidIn = (currency: string) => (t: TestService) =>
  on(t, { compensation: { amount: '950', currency, frequency: 'monthly' } })
const milestones = { type: 'milestone', compensation: { currency: 'USD', frequency: 'monthly' } }
const created = ['invoice-adjustment.created', 'invoice-adjustment.reviewed']

const entering = {
  'X1: an amount has no more decimals than its currency': {
    given: on,
    input: adjust({ amount: '10.005' }),
    answers: '422 amount_precision',
    errors: ['/amount'],
  },
  'X1: a currency without decimals takes none': {
    given: paidIn('JPY'),
    input: adjust({ amount: '1.0' }),
    answers: '422 amount_precision',
  },
  'X1: one with three takes no fourth': {
    given: paidIn('KWD'),
    input: adjust({ amount: '1.2345' }),
    answers: '422 amount_precision',
  },
  'X1: a number is no amount': { given: on, input: adjust({ amount: 10.5 }), answers: '400 validation_failed' },
  'nothing is no amount': {
    given: on,
    input: adjust({ amount: '0.00' }),
    answers: '400 validation_failed',
    errors: ['/amount'],
  },
  'X2: the currency is that of the contract': {
    given: on,
    input: adjust({ currency: 'USD' }),
    answers: '422 currency_mismatch',
    errors: ['/currency'],
  },
  'payroll pays employees': {
    given: (t: TestService) => on(t, { type: 'employee', compensation: { amount: '6500.00', currency: 'EUR' } }),
    input: adjust({}),
    answers: '422 contract_type_unsupported',
    errors: ['/contract_id'],
  },
  'a milestone needs a contract of milestones': {
    given: on,
    input: adjust({ type: 'milestone' }),
    answers: '422 contract_type_unsupported',
    errors: ['/type'],
  },
  'nothing is dated before the contract': {
    given: on,
    input: adjust({ date: '2026-05-31' }),
    answers: '422 date_out_of_range',
    errors: ['/date'],
  },
  'nothing is dated more than 366 days ahead': {
    given: on,
    input: adjust({ date: '2027-06-17' }),
    answers: '422 date_out_of_range',
    errors: ['/date'],
  },
} as const

cases('invoice_adjustments.create', {
  ...shared.create,
  ...entering,
  'it is dated today, and all but expenses are taxed': {
    given: on,
    input: ({ contract_id }) => ({ contract_id, type: 'bonus', amount: '500', description: 'Thanks' }),
    body: {
      ...{ amount: '500.00', currency: 'EUR', date: '2026-06-15', is_taxable: true },
      ...{ is_recurring: false, recurring_until: null, recurred_from_id: null },
    },
    emits: [
      ['invoice-adjustment.created', { amount: '500.00', is_recurring: false, recurred_from_id: null }],
      'invoice-adjustment.reviewed',
    ],
  },
  'an expense is not taxed': { given: on, input: adjust({}), body: { is_taxable: false }, emits: created },
  'unless that is said': {
    given: on,
    input: adjust({ is_taxable: true, date: '2027-06-16' }),
    body: { is_taxable: true },
    emits: created,
  },
  'a milestone is paid on a contract of milestones': {
    given: (t) => on(t, milestones),
    input: adjust({ type: 'milestone', currency: 'USD' }),
    body: { type: 'milestone', currency: 'USD', is_taxable: true },
    emits: created,
  },
  'nothing is dated after the last day': {
    given: (t) => on(t, { end_date: '2026-06-20' }),
    input: adjust({ date: '2026-06-21' }),
    answers: '422 date_out_of_range',
  },
  'it does not recur until before today, where no date is given': {
    given: on,
    input: ({ contract_id }) => ({
      ...{ contract_id, type: 'bonus', amount: '1.00', description: 'Monthly' },
      ...{ is_recurring: true, recurring_until: '2026-06-14' },
    }),
    answers: '422 date_out_of_range',
    errors: ['/recurring_until'],
  },
  'it does not recur until before its date': {
    given: on,
    input: adjust({ is_recurring: true, recurring_until: '2026-06-11' }),
    answers: '422 date_out_of_range',
    errors: ['/recurring_until'],
  },
})

cases('worker.create_invoice_adjustment', {
  ...shared.worker_create,
  ...entering,
  'a worker enters no deduction': {
    given: on,
    input: adjust({ type: 'deduction' }),
    answers: '400 validation_failed',
    errors: ['/type'],
  },
  'a worker’s recurs not by itself': {
    given: on,
    input: adjust({ is_recurring: true }),
    answers: '400 validation_failed',
    errors: ['/is_recurring'],
  },
})
cases('invoice_adjustments.list', shared.list)
cases('worker.list_invoice_adjustments', shared.worker_list)
cases('invoice_adjustments.get', shared.get)
cases('worker.get_invoice_adjustment', shared.worker_get)

const changing = {
  'an amount changes': {
    input: { amount: '90' },
    body: { amount: '90.00' },
    emits: [['invoice-adjustment.updated', { amount: '90.00', changed_fields: ['amount'] }]],
  },
  'the same amount in other digits changes nothing': { input: { amount: '89.9' }, audit: null },
  'an amount is judged anew': { input: { amount: '89.999' }, answers: '422 amount_precision' },
  'a date is judged anew': { input: { date: '2026-05-31' }, answers: '422 date_out_of_range' },
} as const

const changingFor = (by: 'client' | 'worker') =>
  Object.fromEntries(
    Object.entries(changing).map(([name, row]) => [
      name,
      { ...row, given: (t: TestService) => workItemIn(t, 'invoice_adjustments', 'pending', { by }) },
    ]),
  )

const unmet = {
  contract_type_unsupported: 'neither contract nor type can be changed: the cases of create meet it',
  currency_mismatch: 'the currency cannot be changed: the cases of create meet it',
}

cases(
  'invoice_adjustments.update',
  {
    ...shared.update,
    ...changingFor('client'),
    'an approved one is told to recur, and until when': {
      given: (t) => workItemIn(t, 'invoice_adjustments', 'approved'),
      input: { is_recurring: true, recurring_until: '2026-12-31' },
      body: { status: 'approved', is_recurring: true, recurring_until: '2026-12-31' },
      emits: [['invoice-adjustment.updated', { changed_fields: ['is_recurring', 'recurring_until'] }]],
    },
    'an invoiced one is not': {
      given: (t) => workItemIn(t, 'invoice_adjustments', 'invoiced'),
      input: { is_recurring: true },
      answers: '409 invalid_state',
      errors: ['/is_recurring'],
    },
    'whether a hidden amount is the same is not told': {
      as: 'client without compensation',
      given: (t) => workItemIn(t, 'invoice_adjustments', 'approved'),
      input: { amount: body.amount },
      answers: '409 invalid_state',
      errors: ['/amount'],
    },
  },
  { unmet },
)
cases('worker.update_invoice_adjustment', { ...shared.worker_update, ...changingFor('worker') }, { unmet })
cases('invoice_adjustments.delete', shared.delete)
cases('worker.delete_invoice_adjustment', shared.worker_delete)
cases('invoice_adjustments.review', shared.review)
cases('invoice_adjustments.review_many', shared.review_many)

const copies: [what: string, given: object, next: { date: string; last_day: string | null }, made: boolean][] = [
  ['one that recurs is copied', {}, { date: '2026-07-31', last_day: null }, true],
  ['up to its last date', { recurring_until: '2026-07-31' }, { date: '2026-07-31', last_day: '2026-07-31' }, true],
  ['not beyond it', { recurring_until: '2026-07-30' }, { date: '2026-07-31', last_day: null }, false],
  ['not beyond the last day of the contract', {}, { date: '2026-07-31', last_day: '2026-07-30' }, false],
  ['one that does not recur is not copied', { is_recurring: false }, { date: '2026-07-31', last_day: null }, false],
]
for (const [what, given, next, made] of copies) {
  test(`a collected adjustment: ${what}`, async () => {
    const t = await organizationAt(clock_start)
    const contract = await on(t)
    const { id } = await enter(t, 'invoice_adjustments', contract, { is_recurring: true, external_id: 'one', ...given })
    const collect = () =>
      asInvoicing(t, async (context) => {
        const rows = await adjustmentsToPay.byIds(context.tx, t.organization.id, [id])
        return { copies: await recur(context, rows, next), told: context.told.map(([type]) => type) }
      })
    const { copies, told } = await collect()
    assert.deepEqual(told, made ? ['invoice-adjustment.created'] : [])
    if (!made) return assert.deepEqual(copies, [])
    const copy = (await t.call('GET', `/invoice-adjustments/${copies[0]?.id}`)).body
    assert.partialDeepStrictEqual(copy, {
      ...{ status: 'approved', date: next.date, recurred_from_id: id, is_recurring: true, amount: '89.90' },
      ...{ external_id: null, review: null, submitted_by: { kind: 'system' } },
    })
    assert.deepEqual((await collect()).copies, [], 'a copy is made once')
    await t.call('DELETE', `/invoice-adjustments/${copy.id}`)
    assert.deepEqual((await collect()).copies, [], 'a deleted copy is not made again')
  })
}

async function organizationAt(time: string): Promise<TestService> {
  const service = await serviceOfCases()
  await service.clock.set(time)
  return inOrganization(service, await service.createOrganization())
}
