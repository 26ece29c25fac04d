import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { contractIn } from '#test/contract-states.ts'
import { approvedWork, done } from '#test/invoices.ts'
import { enter, workItemIn } from '#test/work-items.ts'

const id = '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'
const expense = (t: Parameters<typeof workItemIn>[0], status: Parameters<typeof workItemIn>[2]) =>
  workItemIn(t, 'invoice_adjustments', status)
const named = ({ contract_id, id: source }: { contract_id: string; id: string }) => ({
  ...{ contract_id, invoice_adjustment_ids: [source] },
})

cases('invoices.create', {
  'exactly what is named, issued on the business date': {
    as: 'finance',
    given: approvedWork,
    input: ({ contract_id, timesheet, expense: { id: adjustment } }) => ({
      ...{ contract_id, timesheet_ids: [timesheet.id], invoice_adjustment_ids: [adjustment] },
    }),
    body: ({ timesheet }) => ({
      ...{
        number: 'INV-2026-000001',
        status: 'pending',
        is_off_cycle: true,
        payment_cycle_id: null,
        period_start: null,
      },
      ...{ issue_date: '2026-06-15', due_date: '2026-06-22', subtotal: '1822.40', taxable_base: '1732.50' },
      supplier: { name: 'Jonas Weber', country: 'DE' },
      customer: { name: 'Harbour Pine', country: 'DE' },
      lines: [
        { position: 1, source: { kind: 'timesheet', id: timesheet.id } },
        { position: 2, type: 'expense' },
      ],
    }),
    emits: ['invoice.created', 'timesheet.status.updated', 'invoice-adjustment.status.updated'],
    async afterwards(t, { given: { timesheet }, body }) {
      const after = await done(t, 'GET', `/timesheets/${timesheet.id}`)
      assert.deepEqual([after.status, after.invoice_id, after.payment_cycle_id], ['invoiced', body.id, null])
    },
  },
  'VAT and reverse charge are those of the contract now': {
    async given(t) {
      const contract = await contractIn(t, 'active', { start_date: '2026-06-01', tax: { vat_rate: '19' } })
      const { id: bonus } = await enter(t, 'invoice_adjustments', contract, { type: 'bonus', amount: '100.25' })
      await done(t, 'PATCH', `/contracts/${contract.id}`, { tax: { vat_rate: '10' } })
      return { ...contract, id: bonus }
    },
    input: named,
    body: { vat_rate: '10', vat_total: '10.03', total: '110.28' },
    emits: ['invoice.created', 'invoice-adjustment.status.updated'],
  },
  'one of nothing is paid at once': {
    given: async (t) => {
      const contract = await contractIn(t, 'active', { start_date: '2026-06-01' })
      const bonus = await enter(t, 'invoice_adjustments', contract, { type: 'bonus' })
      const deduction = await enter(t, 'invoice_adjustments', contract, { type: 'deduction' })
      return { ...contract, ids: [deduction.id, bonus.id] }
    },
    input: ({ contract_id, ids }) => ({ contract_id, invoice_adjustment_ids: ids }),
    body: { status: 'paid', total: '0.00', lines: [{ type: 'bonus' }, { type: 'deduction', amount: '-89.90' }] },
    emits: [
      'invoice.created',
      'invoice-adjustment.status.updated',
      ['invoice.paid', { status: 'paid' }],
      ['invoice.status.updated', { previous_status: 'pending' }],
      'invoice-adjustment.status.updated',
    ],
  },
  'what recurs is copied to the cycle after the one of its date': {
    async given(t) {
      const contract = await contractIn(t, 'active', { start_date: '2026-06-01' })
      return { ...contract, ...(await enter(t, 'invoice_adjustments', contract, { is_recurring: true })) }
    },
    input: named,
    emits: [
      'invoice.created',
      'invoice-adjustment.status.updated',
      ['invoice-adjustment.created', { date: '2026-07-31' }],
    ],
  },
  'deductions that exceed the rest': {
    given: approvedWork,
    input: ({ contract_id, expense: { id: one }, deduction }) => ({
      ...{ contract_id, invoice_adjustment_ids: [one, deduction.id] },
    }),
    answers: '422 negative_total',
  },
  'whether deductions exceed the rest is not told without compensation': {
    as: 'client without compensation',
    given: approvedWork,
    input: ({ contract_id, deduction }) => ({ contract_id, invoice_adjustment_ids: [deduction.id] }),
    answers: '403 sensitive_data_required',
  },
  'work so short that it is worth nothing': {
    async given(t) {
      const compensation = { amount: '0.10', currency: 'EUR', frequency: 'monthly' }
      const contract = await contractIn(t, 'active', { type: 'pay_as_you_go', start_date: '2026-06-01', compensation })
      return { ...contract, ...(await enter(t, 'timesheets', contract, { quantity: '0.01' })) }
    },
    input: ({ contract_id, id: timesheet }) => ({ contract_id, timesheet_ids: [timesheet] }),
    answers: '422 nothing_to_invoice',
  },
  'nothing named': {
    given: approvedWork,
    input: ({ contract_id }) => ({ contract_id }),
    answers: '400 validation_failed',
    errors: ['/timesheet_ids'],
  },
  'one that is named twice counts once': {
    given: (t) => expense(t, 'approved'),
    input: ({ contract_id, id: twice }) => ({ contract_id, invoice_adjustment_ids: [twice, twice] }),
    body: { lines: [{ position: 1 }], total: '89.90' },
    emits: ['invoice.created', 'invoice-adjustment.status.updated'],
  },
  'a source of another contract': {
    given: async (t) => ({ ...(await expense(t, 'approved')), contract_id: (await contractIn(t, 'active')).id }),
    input: named,
    answers: '422 reference_not_found',
    errors: ['/invoice_adjustment_ids/0'],
  },
  'a contract that does not exist': {
    input: { contract_id: id, timesheet_ids: [id] },
    answers: '422 reference_not_found',
    errors: ['/contract_id'],
  },
  ...Object.fromEntries(
    (['pending', 'declined', 'invoiced', 'paid', 'not_payable'] as const).map((status) => [
      `a source that is ${status}`,
      {
        given: (t: Parameters<typeof workItemIn>[0]) => expense(t, status),
        input: named,
        answers: '409 invalid_state' as const,
        errors: ['/invoice_adjustment_ids/0'],
      },
    ]),
  ),
})
