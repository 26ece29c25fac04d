import { emitAll } from '#core/effects.ts'
import type { ReactionContext } from '#core/reaction.ts'
import type { Transaction } from '#db/database.ts'
import {
  type Bounded,
  idsOnInvoices,
  lockRows,
  markRows,
  openRows,
  type Place,
  rowsById,
  type Stored,
} from './work-item.store.ts'
import { isOpenTo, type Trigger, type WorkItemEvents, type WorkItemRow } from './work-item.ts'

type Marking = Pick<ReactionContext, 'tx' | 'emit'>
type Contract = { organization_id: string; id: string }

/** Rows that go on one invoice; one of no cycle is off-cycle. */
interface Invoicing<Row> {
  context: Marking
  rows: readonly Row[]
  on: Place
}

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
  /** Writes all by one statement; the rows of each part are told through its context. Answers the rows by part. */
  const markAll = async (
    trigger: Trigger,
    status: WorkItemRow['status'],
    parts: readonly (Pick<Invoicing<Row>, 'context' | 'rows'> & { on?: Place })[],
  ): Promise<Row[][]> => {
    const all = parts.flatMap(({ rows, on }) => rows.map((row) => ({ ...row, ...on, status })))
    const wrong = parts.flatMap(({ rows }) => rows).find((row) => !isOpenTo(trigger, row))
    if (wrong) throw new Error(`${noun.table} ${wrong.id} is ${wrong.status} and cannot be ${trigger}`)
    const [first] = all
    const [part] = parts
    if (!first || !part) return parts.map(() => [])
    const versions = await markRows(part.context.tx, noun, first.organization_id, all)
    return parts.map(({ context, rows, on }) => {
      const marked = rows.map((row) => ({ ...row, ...on, status, updated_at: versions.get(row.id) ?? row.updated_at }))
      const entries = marked.map((row, at) => ({
        ...noun.entryOf(row),
        previous_status: rows[at]?.status,
        // Of a freed item it is the invoice that was cancelled.
        invoice_id: row.invoice_id ?? rows[at]?.invoice_id ?? null,
      }))
      emitAll(context.emit, events.status_updated, entries)
      return marked
    })
  }
  const mark = async (trigger: Trigger, status: WorkItemRow['status'], part: Parameters<typeof markAll>[2][number]) =>
    (await markAll(trigger, status, [part])).flat()
  return {
    /**
     * Approved rows of contracts that are on no invoice, by contract, ordered by (date, id): for a cycle those dated up to
     * `last_date` and approved before `approved_before`. A change locks the contracts first: then they stay as they are.
     */
    approved: (tx: Transaction, organization_id: string, contracts: readonly Bounded[]): Promise<Map<string, Row[]>> =>
      openRows(tx, noun, date, organization_id, contracts, ['approved']),
    /** Pending and approved rows of a contract: whatever a final settlement may leave over. */
    open: async (tx: Transaction, { organization_id, id }: Contract): Promise<Row[]> =>
      (await openRows<Row>(tx, noun, date, organization_id, [{ id }], ['pending', 'approved'])).get(id) ?? [],
    /** Rows by id, in the order of ids; missing and deleted ones are left out. */
    byIds: (tx: Transaction, organization_id: string, ids: readonly string[]): Promise<Row[]> =>
      rowsById(tx, noun, organization_id, ids),
    /** Rows on some invoices, locked in the order of their ids. */
    onInvoices: async (tx: Transaction, organization_id: string, invoice_ids: readonly string[]): Promise<Row[]> =>
      lockRows(tx, noun, organization_id, await idsOnInvoices(tx, noun, organization_id, invoice_ids)),
    /** Puts approved rows on invoices of one organization; answers the rows of each. */
    invoice: (parts: readonly Invoicing<Row>[]): Promise<Row[][]> => markAll('invoiced', 'invoiced', parts),
    /** Their invoices were paid. */
    pay: (context: Marking, rows: readonly Row[]): Promise<Row[]> => mark('paid', 'paid', { context, rows }),
    /** Their invoice was cancelled: they are collected again. */
    free: (context: Marking, rows: readonly Row[]): Promise<Row[]> =>
      mark('freed', 'approved', { context, rows, on: { invoice_id: null, payment_cycle_id: null } }),
    /** The final settlement left them over. */
    leaveOver: (context: Marking, rows: readonly Row[]): Promise<Row[]> =>
      mark('left over', 'not_payable', { context, rows }),
  }
}
