import { setTimers, type Timer } from '#core/jobs/timer.ts'
import { defineHappening, type ReactionContext } from '#core/reaction.ts'
import { addDays, latest, startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
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
import { partiesOf, takeNumbers } from './invoice.store.ts'
import { type InvoiceLineRow, type InvoiceRow, invoice, invoiceLine } from './invoice.ts'
import { invoice_overdue, settleZero } from './move-invoices.ts'

/** Invoices of one organization exist from now on; the ledger books them. */
export const invoiceIssued = defineHappening<readonly Issued[]>('invoices issued')

export interface Issued {
  invoice: InvoiceRow
  lines: InvoiceLineRow[]
  /** The change that it belongs to. */
  context: ReactionContext
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

/** A cycle of a locked contract that is invoiced. */
export interface Collecting {
  of: ContractRow
  cycle: PaymentCycleRow
  versions: readonly Pick<WrittenTerms, 'effective_from' | 'terms'>[]
  /** Approvals that count; absent: all until now. */
  approved_before?: string
}

/** Events of `issueInvoices`, beside those of the reactions to it. */
export const issue_events = [
  invoiceCreated,
  timesheetStatusUpdated,
  adjustmentStatusUpdated,
  adjustmentCreated,
  invoicePaid,
  invoiceStatusUpdated,
] as const

/** Sources of the invoices of cycles of one organization: what was approved up to the end of each. */
export async function collectCycles(
  { tx }: Pick<ReactionContext, 'tx'>,
  cycles: readonly Collecting[],
): Promise<Collected[]> {
  const [first] = cycles
  if (!first) return []
  const { organization_id } = first.of
  const bounds = cycles.map(({ of: { id }, cycle, approved_before }) => ({
    ...{ id, last_date: cycle.end_date, approved_before },
  }))
  const [approved_timesheets, approved_adjustments] = await Promise.all([
    timesheetsToPay.approved(tx, organization_id, bounds),
    adjustmentsToPay.approved(tx, organization_id, bounds),
  ])
  return cycles.map(({ of, cycle, versions }) => {
    const timesheets = approved_timesheets.get(of.id) ?? []
    const adjustments = approved_adjustments.get(of.id) ?? []
    const fixed = of.type === 'fixed_rate' ? fixedLines(cycle, { ...of, versions }) : []
    return { composition: composeInvoice(of, { fixed, timesheets, adjustments }), timesheets, adjustments }
  })
}

/** The same of one cycle. */
export async function collectCycle(context: Pick<ReactionContext, 'tx'>, cycle: Collecting): Promise<Collected> {
  const [collected] = await collectCycles(context, [cycle])
  if (!collected) throw new Error('a cycle was not collected')
  return collected
}

/** The dates of an invoice outside the cycles. */
export function offCycle(of: ContractRow, issue_date: string): Period {
  return { cycle: null, issue_date, due_date: dueDate(issue_date, of) }
}

/** An invoice to issue: of a locked contract, told through the context of its own change. */
export interface ToIssue {
  context: ReactionContext
  of: ContractRow
  collected: Collected
  period: Period
  id: string
}

/** Issues one invoice; see `issueInvoices`. */
export async function issueInvoice(to_issue: ToIssue): Promise<Issued> {
  const [issued] = await issueInvoices([to_issue])
  if (!issued) throw new Error('an invoice was not issued')
  return issued
}

/**
 * Issues invoices of one organization, each kind of row by one statement: number, lines and parties, their sources and
 * cycles marked, the copies of what recurs, the timers of their due dates. One of nothing is paid at once.
 */
export async function issueInvoices(all: readonly ToIssue[]): Promise<Issued[]> {
  const [first] = all
  if (!first) return []
  const { context, of } = first
  const { tx } = context
  const made = await newInvoices(tx, of.organization_id, all)
  invoice.insertAll(
    tx,
    made.map(({ row }) => row),
  )
  invoiceLine.insertAll(
    tx,
    made.flatMap(({ lines }) => lines),
  )
  for (const { context, row } of made) context.emit(invoiceCreated, invoice.entryOf(row))
  const cycles = made.flatMap(({ period: { cycle }, id }) => (cycle ? [{ cycle, invoice_id: id }] : []))
  await paymentCycle.saveAll(
    tx,
    cycles.map(({ cycle, invoice_id }) => [cycle, { ...cycle, status: 'invoiced', invoice_id }]),
  )
  const marked = await markSources(made)
  for (const { context, of, period, adjustments } of marked) {
    await copyRecurring(context, of, adjustments, period.cycle?.end_date ?? period.issue_date)
  }
  const issued = made.map(({ context, row, lines }) => ({ context, invoice: row, lines }))
  await invoiceIssued.happen(issued, context)
  const owed = made.filter(({ row }) => /[1-9]/.test(row.total))
  await setTimers(tx, owed.map(overdueTimer))
  const paid = new Map<string, InvoiceRow>()
  for (const { context, row, timesheets, adjustments } of marked) {
    if (/[1-9]/.test(row.total)) continue
    for (const each of await settleZero(context, { invoices: [row], timesheets, adjustments })) paid.set(each.id, each)
  }
  return issued.map((each) => ({ ...each, invoice: paid.get(each.invoice.id) ?? each.invoice }))
}

interface Made extends ToIssue {
  row: InvoiceRow
  lines: InvoiceLineRow[]
}

/** The rows of invoices and their lines, numbered in their order. */
async function newInvoices(tx: Transaction, organization_id: string, all: readonly ToIssue[]): Promise<Made[]> {
  const ids = all.map(({ of }) => of.id)
  const [{ settings }, parties] = await Promise.all([
    organization.get(tx, { organization_id, id: organization_id }),
    partiesOf(tx, organization_id, ids),
  ])
  const prefix = settings?.invoice_prefix ?? default_settings.invoice_prefix
  const yearOf = ({ period }: ToIssue) => Number(period.issue_date.slice(0, 4))
  const numbers = new Map<ToIssue, string>()
  // By year, so that whoever numbers in two years locks their counters in one order.
  for (const [year, own] of [...Map.groupBy(all, yearOf)].toSorted(([a], [b]) => a - b)) {
    const numbering = { kind: 'invoice', prefix, year, count: own.length } as const
    for (const [at, number] of (await takeNumbers(tx, organization_id, numbering)).entries()) {
      const one = own[at]
      if (one) numbers.set(one, number)
    }
  }
  return all.map((one) => {
    const { context, of, collected, period, id } = one
    const { id: contract_id, worker_id, worker_email, worker_name, legal_entity_id } = of
    const { cycle, issue_date, due_date } = period
    const { lines: new_lines, deferred_adjustment_ids: _, is_negative: __, ...sums } = collected.composition
    const row = invoice.newRow(tx, {
      ...{ organization_id, id, contract_id, worker_id, worker_email, worker_name, legal_entity_id },
      ...{ issue_date, due_date, is_off_cycle: cycle === null, payment_cycle_id: cycle?.id ?? null },
      ...{ period_start: cycle?.start_date ?? null, period_end: cycle?.end_date ?? null },
      ...sums,
      ...parties(contract_id),
      number: numbers.get(one) ?? '',
    })
    const lines = new_lines.map((line, at) =>
      invoiceLine.newRow(tx, { ...line, organization_id, id: context.newId(), invoice_id: id, position: at + 1 }),
    )
    return { ...one, row, lines }
  })
}

function overdueTimer({ of, row }: Made): Timer {
  const { organization_id, id: subject_id, contract_id: sequence_id, due_date } = row
  const due_at = new Date(startOfDay(addDays(due_date, 1), of.timezone)).toISOString()
  return { ...invoice_overdue, organization_id, subject_id, sequence_id, due_at }
}

/** Marks the sources that stand on a line; a deduction without room and a row of zero stay approved. */
async function markSources(made: readonly Made[]) {
  const parts = made.map(({ context, id, lines, collected, period }) => {
    const taken = new Set(lines.map(({ source_id }) => source_id))
    const isTaken = ({ id }: { id: string }) => taken.has(id)
    const on = { invoice_id: id, payment_cycle_id: period.cycle?.id ?? null }
    return {
      context,
      on,
      ...{ timesheets: collected.timesheets.filter(isTaken) },
      adjustments: collected.adjustments.filter(isTaken),
    }
  })
  const timesheets = await timesheetsToPay.invoice(parts.map(({ timesheets: rows, ...part }) => ({ ...part, rows })))
  const adjustments = await adjustmentsToPay.invoice(parts.map(({ adjustments: rows, ...part }) => ({ ...part, rows })))
  return made.map((one, at) => ({ ...one, timesheets: timesheets[at] ?? [], adjustments: adjustments[at] ?? [] }))
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
