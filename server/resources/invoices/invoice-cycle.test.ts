import assert from 'node:assert/strict'
import { amendmentsOf, raise } from '#test/amendments.ts'
import { type Case, cases } from '#test/cases.ts'
import { approvedWork, type CycleStatus, cycleIn, cyclesOf, done } from '#test/invoices.ts'
import type { TestService } from '#test/service.ts'
import { enter } from '#test/work-items.ts'

const statuses: CycleStatus[] = ['upcoming', 'active', 'invoiced', 'paid', 'skipped', 'cancelled']

/** One case for each status of a cycle. */
const eachStatus = (outcomes: Partial<Record<CycleStatus, Case>>) =>
  Object.fromEntries(
    statuses.map((status) => {
      const outcome = outcomes[status] ?? { answers: '409 invalid_state' }
      return [`${status}: ${outcome.answers ?? 'done'}`, { given: (t: TestService) => cycleIn(t, status), ...outcome }]
    }),
  )

/** A cycle that closed without an invoice; then an expense was approved. */
async function lateExpense(t: TestService, more: object = {}) {
  const cycle = await cycleIn(t, 'skipped')
  await enter(t, 'invoice_adjustments', cycle, { date: '2026-06-20', ...more })
  return cycle
}

/** Work that was approved, with the cycle that will collect it. */
async function workOfCycle(t: TestService) {
  const work = await approvedWork(t)
  const [cycle] = await cyclesOf(t, work)
  return { ...work, payment_cycle_id: cycle.id }
}

const balancesOf = async (t: TestService, as_of: string) =>
  (await done(t, 'GET', `/ledger/trial-balance?as_of=${as_of}`)).currencies

const preview = { lines: [{ position: 1, type: 'fixed_rate', amount: '2240.00' }], total: '2240.00' }

cases('payment_cycles.preview', {
  ...eachStatus({ upcoming: { body: preview }, active: { body: preview }, skipped: { body: { lines: [] } } }),
  'an amendment that is signed for a day of the cycle counts': {
    sandbox: true,
    async given(t) {
      const cycle = await cycleIn(t, 'active')
      await amendmentsOf(t, t.organization).agreed(cycle, { ...raise, effective_date: '2026-06-23' })
      return cycle
    },
    body: { lines: [{ amount: '1120.00' }, { amount: '1200.00' }], total: '2320.00' },
  },
  'everything that is approved now, and what waits': {
    async given(t) {
      const work = await approvedWork(t)
      const more = await enter(t, 'invoice_adjustments', work, { type: 'deduction', amount: '0.01' })
      await enter(t, 'invoice_adjustments', work, { auto_approve: false })
      await enter(t, 'invoice_adjustments', work, { date: '2026-07-01' })
      const [cycle] = await cyclesOf(t, work)
      return { ...work, more, payment_cycle_id: cycle.id }
    },
    body: ({ timesheet, expense, deduction, more }) => ({
      lines: [
        { type: 'timesheet', quantity: '38.5', unit_price: '45.00', amount: '1732.50', source: { id: timesheet.id } },
        { type: 'expense', amount: '89.90', is_taxable: false, source: { kind: 'invoice_adjustment', id: expense.id } },
        { type: 'deduction', amount: '-1732.50', source: { id: deduction.id } },
      ],
      subtotal: '89.90',
      taxable_base: '0.00',
      total: '89.90',
      deferred_adjustment_ids: [more.id],
    }),
  },
  'what finds room is not told without compensation': {
    as: 'client without compensation',
    given: (t) => workOfCycle(t),
    answers: '403 sensitive_data_required',
  },
  'without compensation no amount is shown': {
    as: 'client without compensation',
    given: (t) => cycleIn(t, 'active'),
    body: { lines: [{ amount: null, unit_price: null }], subtotal: null, vat_total: null, total: null },
  },
})

cases(
  'payment_cycles.invoice',
  {
    ...eachStatus({ skipped: { answers: '422 nothing_to_invoice' } }),
    'a skipped cycle is invoiced with what was approved since': {
      as: 'finance',
      given: lateExpense,
      body: ({ payment_cycle_id }) => ({
        ...{ number: 'INV-2026-000001', payment_cycle_id, is_off_cycle: false, issue_date: '2026-07-01' },
        ...{ period_start: '2026-06-15', period_end: '2026-06-30', total: '89.90', lines: [{ type: 'expense' }] },
      }),
      emits: ['invoice.created', 'invoice-adjustment.status.updated'],
      audit: (_, { id }) => ({ subject_kind: 'invoices', subject_id: id }),
    },
    'whether a deduction finds room is not told without compensation': {
      as: 'client without compensation',
      given: (t) => lateExpense(t, { type: 'deduction' }),
      answers: '403 sensitive_data_required',
    },
    'what recurs is copied to the cycle after it': {
      given: (t) => lateExpense(t, { is_recurring: true }),
      emits: [
        'invoice.created',
        'invoice-adjustment.status.updated',
        ['invoice-adjustment.created', { date: '2026-07-31', status: 'approved' }],
      ],
    },
    'one of nothing is paid at once, with its sources and its cycle': {
      given: async (t) => {
        const cycle = await lateExpense(t, { type: 'bonus' })
        await enter(t, 'invoice_adjustments', cycle, { type: 'deduction', date: '2026-06-20' })
        return cycle
      },
      body: { status: 'paid', total: '0.00', lines: [{ amount: '89.90' }, { amount: '-89.90' }] },
      emits: [
        'invoice.created',
        'invoice-adjustment.status.updated',
        'invoice.paid',
        'invoice.status.updated',
        'invoice-adjustment.status.updated',
      ],
      async afterwards(t, { given }) {
        const [cycle] = await cyclesOf(t, given)
        if (cycle.status !== 'paid') throw new Error(`the cycle is ${cycle.status}`)
      },
    },
    'a cycle whose invoice was cancelled is invoiced anew': {
      async given(t) {
        const cycle = await cycleIn(t, 'invoiced')
        await done(t, 'POST', `/invoices/${cycle.cycle.invoice_id}/cancel`, { reason: 'VAT was missing.' })
        return cycle
      },
      body: { number: 'INV-2026-000002', total: '2240.00' },
      emits: ['invoice.created'],
    },
    'in a later month it is dated then, and the balances of the months before stay as they were': {
      async given(t) {
        const cycle = await cycleIn(t, 'invoiced')
        await done(t, 'POST', `/invoices/${cycle.cycle.invoice_id}/cancel`, { reason: 'VAT was missing.' })
        await t.clock.set('2026-08-20T09:00:00.000Z')
        return { ...cycle, july: await balancesOf(t, '2026-07-31') }
      },
      body: { issue_date: '2026-08-20', due_date: '2026-08-27', period_end: '2026-06-30' },
      emits: ['invoice.created'],
      async afterwards(t, { given }) {
        assert.deepEqual(await balancesOf(t, '2026-07-31'), given.july)
      },
    },
  },
  { unmet: { 'timesheet.status.updated': 'close-cycle.test.ts: a cycle collects timesheets' } },
)
