import { emitAll } from '#core/effects.ts'
import type { ReactionContext } from '#core/reaction.ts'
import type { Transaction } from '#db/database.ts'
import {
  idsOnInvoices,
  lockRows,
  markRows,
  openRows,
  type Place,
  rowsById,
  type Stored,
  type Until,
} from './work-item.store.ts'
import { isOpenTo, type Trigger, type WorkItemEvents, type WorkItemRow } from './work-item.ts'

type Marking = Pick<ReactionContext, 'tx' | 'emit'>
type Contract = { organization_id: string; id: string }

interface Noun<Row> extends Stored {
  get(tx: Transaction, match: { organization_id: string }): Promise<Row>
  entryOf(row: NoInfer<Row>): Record<string, unknown>
}

/**
 * Offers one kind of work items to invoicing: `date` is the column by which an item belongs to a cycle.
 * Rows in hand are those of a locked contract, or were read by `onInvoices`.
 */
export function collecting<Row extends WorkItemRow>(
  noun: Noun<Row>,
  date: keyof NoInfer<Row> & string,
  events: WorkItemEvents,
) {
  const mark = async (
    { tx, emit }: Marking,
    trigger: Trigger,
    rows: readonly Row[],
    to: Pick<WorkItemRow, 'status'> & Partial<Place>,
  ): Promise<Row[]> => {
    const [first] = rows
    if (!first) return []
    const wrong = rows.find((row) => !isOpenTo(trigger, row))
    if (wrong) throw new Error(`${noun.table} ${wrong.id} is ${wrong.status} and cannot be ${trigger}`)
    const ids = rows.map(({ id }) => id)
    const versions = await markRows(tx, noun, first.organization_id, ids, to)
    const marked = rows.map((row) => ({ ...row, ...to, updated_at: versions.get(row.id) ?? row.updated_at }))
    const entries = marked.map((row, at) => ({
      ...noun.entryOf(row),
      previous_status: rows[at]?.status,
      // Of a freed item it is the invoice that was cancelled.
      invoice_id: row.invoice_id ?? rows[at]?.invoice_id ?? null,
    }))
    emitAll(emit, events.status_updated, entries)
    return marked
  }
  return {
    /**
     * Approved rows of a contract that are on no invoice, ordered by (date, id): for a cycle those dated up to
     * `last_date` and approved before `approved_before`. A change locks the contract first: then they stay as they are.
     */
    approved: (tx: Transaction, contract: Contract, until?: Until): Promise<Row[]> =>
      openRows(tx, noun, date, contract, ['approved'], until),
    /** Pending and approved rows of a contract: whatever a final settlement may leave over. */
    open: (tx: Transaction, contract: Contract): Promise<Row[]> =>
      openRows(tx, noun, date, contract, ['pending', 'approved']),
    /** Rows by id, in the order of ids; missing and deleted ones are left out. */
    byIds: (tx: Transaction, organization_id: string, ids: readonly string[]): Promise<Row[]> =>
      rowsById(tx, noun, organization_id, ids),
    /** Rows on some invoices, locked in the order of their ids. */
    onInvoices: async (tx: Transaction, organization_id: string, invoice_ids: readonly string[]): Promise<Row[]> =>
      lockRows(tx, noun, organization_id, await idsOnInvoices(tx, noun, organization_id, invoice_ids)),
    /** Puts approved rows on an invoice; one of no cycle is off-cycle. */
    invoice: (
      context: Marking,
      rows: readonly Row[],
      on: { invoice_id: string; payment_cycle_id: string | null },
    ): Promise<Row[]> => mark(context, 'invoiced', rows, { status: 'invoiced', ...on }),
    /** Their invoices were paid. */
    pay: (context: Marking, rows: readonly Row[]): Promise<Row[]> => mark(context, 'paid', rows, { status: 'paid' }),
    /** Their invoice was cancelled: they are collected again. */
    free: (context: Marking, rows: readonly Row[]): Promise<Row[]> =>
      mark(context, 'freed', rows, { status: 'approved', invoice_id: null, payment_cycle_id: null }),
    /** The final settlement left them over. */
    leaveOver: (context: Marking, rows: readonly Row[]): Promise<Row[]> =>
      mark(context, 'left over', rows, { status: 'not_payable' }),
  }
}
