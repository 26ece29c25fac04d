import { setTimer } from '#core/jobs/timer.ts'
import { defineHappening, type ReactionContext } from '#core/reaction.ts'
import { addDays, latest, startOfDay } from '#core/values.ts'
import {
  type ContractRow,
  cycleContaining,
  cycleSettings,
  dueDate,
  termsVersions,
  type WrittenTerms,
} from '#resources/contracts/index.ts'
import {
  adjustmentCreated,
  adjustmentStatusUpdated,
  adjustmentsToPay,
  type InvoiceAdjustmentRow,
  recur,
} from '#resources/invoice-adjustments/index.ts'
import { default_settings, organization } from '#resources/organizations/index.ts'
import { type PaymentCycleRow, paymentCycle } from '#resources/payment-cycles/index.ts'
import { type TimesheetRow, timesheetStatusUpdated, timesheetsToPay } from '#resources/timesheets/index.ts'
import { type Composition, composeInvoice, fixedLines } from './compose.ts'
import { invoiceCreated, invoicePaid, invoiceStatusUpdated } from './events.ts'
import { partiesOf, takeNumber } from './invoice.store.ts'
import { type InvoiceLineRow, type InvoiceRow, invoice, invoiceLine } from './invoice.ts'
import { invoice_overdue, settleZero } from './move-invoices.ts'

/** An invoice exists from now on; the ledger books it. */
export const invoiceIssued = defineHappening<Issued>('invoice issued')

export interface Issued {
  invoice: InvoiceRow
  lines: InvoiceLineRow[]
}

/** The content of an invoice: its lines, and the rows that they stand for. */
export interface Collected {
  composition: Composition
  timesheets: TimesheetRow[]
  adjustments: InvoiceAdjustmentRow[]
}

interface Period {
  cycle: PaymentCycleRow | null
  issue_date: string
  due_date: string
}

/** Events of `issueInvoice`, beside those of the reactions to it. */
export const issue_events = [
  invoiceCreated,
  timesheetStatusUpdated,
  adjustmentStatusUpdated,
  adjustmentCreated,
  invoicePaid,
  invoiceStatusUpdated,
] as const

/** Sources of the invoice of a cycle: what was approved up to its end, by then or, where nobody says, until now. */
export async function collectCycle(
  { tx }: Pick<ReactionContext, 'tx'>,
  of: ContractRow,
  cycle: PaymentCycleRow,
  versions: readonly WrittenTerms[],
  approved_before?: string,
): Promise<Collected> {
  const until = { last_date: cycle.end_date, ...(approved_before !== undefined && { approved_before }) }
  const [timesheets, adjustments] = await Promise.all([
    timesheetsToPay.approved(tx, of, until),
    adjustmentsToPay.approved(tx, of, until),
  ])
  const fixed = of.type === 'fixed_rate' ? fixedLines(cycle, { ...of, versions }) : []
  return { composition: composeInvoice(of, { fixed, timesheets, adjustments }), timesheets, adjustments }
}

/** The dates of an invoice outside the cycles. */
export function offCycle(of: ContractRow, issue_date: string): Period {
  return { cycle: null, issue_date, due_date: dueDate(issue_date, of) }
}

/**
 * Issues the invoice of a locked contract: number, lines and parties, its sources and its cycle marked, the copies of what
 * recurs, the timer of its due date. One of nothing is paid at once.
 */
export async function issueInvoice(
  context: ReactionContext,
  of: ContractRow,
  { composition, ...collected }: Collected,
  { cycle, issue_date, due_date }: Period,
  id = context.newId(),
): Promise<Issued> {
  const { tx, emit, newId } = context
  const { organization_id, id: contract_id, worker_id, worker_email, worker_name, legal_entity_id } = of
  const [{ settings }, parties] = await Promise.all([
    organization.get(tx, { organization_id, id: organization_id }),
    partiesOf(tx, of),
  ])
  const prefix = settings?.invoice_prefix ?? default_settings.invoice_prefix
  const year = Number(issue_date.slice(0, 4))
  const { lines: new_lines, deferred_adjustment_ids: _, is_negative: __, ...sums } = composition
  const row = invoice.newRow(tx, {
    ...{ organization_id, id, contract_id, worker_id, worker_email, worker_name, legal_entity_id },
    ...{ issue_date, due_date, is_off_cycle: cycle === null, payment_cycle_id: cycle?.id ?? null },
    ...{ period_start: cycle?.start_date ?? null, period_end: cycle?.end_date ?? null },
    ...sums,
    ...parties,
    number: await takeNumber(tx, organization_id, { kind: 'invoice', prefix, year }),
  })
  const lines = new_lines.map((line, at) =>
    invoiceLine.newRow(tx, { ...line, organization_id, id: newId(), invoice_id: id, position: at + 1 }),
  )
  await invoice.insert(tx, row)
  for (const line of lines) await invoiceLine.insert(tx, line)
  emit(invoiceCreated, invoice.entryOf(row))
  if (cycle) await paymentCycle.save(tx, cycle, { ...cycle, status: 'invoiced', invoice_id: id })
  const sources = await markSources(context, lines, collected, { invoice_id: id, payment_cycle_id: cycle?.id ?? null })
  await copyRecurring(context, of, sources.adjustments, addDays(issue_date, cycle ? -1 : 0))
  await invoiceIssued.happen({ invoice: row, lines }, context)
  if (/[1-9]/.test(row.total)) {
    const due_at = new Date(startOfDay(addDays(due_date, 1), of.timezone)).toISOString()
    const timer = { ...invoice_overdue, organization_id, subject_id: id, sequence_id: contract_id, due_at }
    await setTimer(tx, timer)
    return { invoice: row, lines }
  }
  const [paid = row] = await settleZero(context, { invoices: [row], ...sources })
  return { invoice: paid, lines }
}

/** Marks the sources that stand on a line; a deduction without room and a row of zero stay approved. */
async function markSources(
  context: ReactionContext,
  lines: readonly InvoiceLineRow[],
  { timesheets, adjustments }: Pick<Collected, 'timesheets' | 'adjustments'>,
  on: { invoice_id: string; payment_cycle_id: string | null },
) {
  const taken = new Set(lines.map(({ source_id }) => source_id))
  const isTaken = ({ id }: { id: string }) => taken.has(id)
  return {
    timesheets: await timesheetsToPay.invoice(context, timesheets.filter(isTaken), on),
    adjustments: await adjustmentsToPay.invoice(context, adjustments.filter(isTaken), on),
  }
}

/** The copy of a recurring adjustment is dated the end of the cycle after the one that collected it (domain rules 6.4). */
async function copyRecurring(
  context: ReactionContext,
  of: ContractRow,
  adjustments: readonly InvoiceAdjustmentRow[],
  collected_on: string,
): Promise<void> {
  const recurring = adjustments.filter(({ is_recurring }) => is_recurring)
  if (recurring.length === 0) return
  const { last_day } = of
  const settings = cycleSettings(await termsVersions(context.tx, of.organization_id, of.id), last_day)
  if (!settings) return
  for (const [date, rows] of Map.groupBy(recurring, (row) => latest(row.date, collected_on))) {
    const collecting = cycleContaining(settings, date)
    const next = collecting && cycleContaining(settings, addDays(collecting.end_date, 1))
    if (next) await recur(context, rows, { date: next.end_date, last_day })
  }
}
