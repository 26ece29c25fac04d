import { moved } from '#core/table.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import type { WorkItemRow } from './work-item.ts'

/** The table of a work item as its definition describes it. */
export interface Stored {
  readonly columns: Sql
  readonly tables: Sql
  readonly table: string
}

type Contract = { organization_id: string; id: string }

/** A contract and the bounds of its collection: a last date, and a moment that approvals came before; absent: none. */
export interface Bounded {
  readonly id: string
  readonly last_date?: string | undefined
  readonly approved_before?: string | undefined
}

/**
 * Rows of contracts that are to be paid and on no invoice, those of each in the order of invoices. Those of a locked contract
 * stay so.
 */
export async function openRows<Row extends WorkItemRow>(
  tx: Transaction,
  { columns, tables, table }: Stored,
  date: string,
  organization_id: string,
  contracts: readonly Bounded[],
  statuses: readonly string[],
): Promise<Map<string, Row[]>> {
  const [ids, last_dates, approved_befores] = [
    contracts.map(({ id }) => id),
    contracts.map(({ last_date = null }) => last_date),
    contracts.map(({ approved_before = null }) => approved_before),
  ]
  const rows = await tx.rows<Row>(sql`
    select ${columns} from ${tables}
    join unnest(${ids}::uuid[], ${last_dates}::date[], ${approved_befores}::timestamptz[])
      as until (contract_id, last_date, approved_before) on until.contract_id = ${raw(table)}.contract_id
    where ${raw(table)}.organization_id = ${organization_id} and ${raw(table)}.contract_id = any (${ids})
      and ${raw(table)}.status in ('pending', 'approved') and ${raw(table)}.deleted_at is null
      and ${raw(table)}.status = any (${statuses})
      and (until.last_date is null or ${raw(`${table}.${date}`)} <= until.last_date)
      and (until.approved_before is null or ${raw(`${table}.approved_at`)} < until.approved_before)
    order by ${raw(`${table}.${date}, ${table}.id`)}`)
  return Map.groupBy(rows, ({ contract_id }) => contract_id)
}

/** Rows by their ids, in the order of their ids. */
export function rowsById<Row extends WorkItemRow>(
  tx: Transaction,
  { columns, tables, table }: Stored,
  organization_id: string,
  ids: readonly string[],
): Promise<Row[]> {
  return tx.rows<Row>(sql`
    select ${columns} from ${tables}
    where ${raw(table)}.organization_id = ${organization_id} and ${raw(table)}.id = any (${ids})
      and ${raw(table)}.deleted_at is null
    order by ${raw(table)}.id`)
}

/** The same, locked until the transaction ends and read after the lock. */
export async function lockRows<Row extends WorkItemRow>(
  tx: Transaction,
  stored: Stored,
  organization_id: string,
  ids: readonly string[],
): Promise<Row[]> {
  const [, rows] = await Promise.all([
    tx.run(sql`
      select id from ${raw(stored.table)} where organization_id = ${organization_id} and id = any (${ids})
      order by id for no key update`),
    rowsById<Row>(tx, stored, organization_id, ids),
  ])
  return rows
}

/** A condition and no filter: the person of a worker's own credential is not looked up as a reference. */
export const ofWorker = ({ table }: Stored, worker_id: string): Sql => sql`${raw(table)}.worker_id = ${worker_id}`

/** Ids of the rows on these invoices. */
export async function idsOnInvoices(
  tx: Transaction,
  { table }: Stored,
  organization_id: string,
  invoice_ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from ${raw(table)} where organization_id = ${organization_id} and invoice_id = any (${invoice_ids})`)
  return rows.map(({ id }) => id)
}

/** The invoice that an item stands on, and the cycle that it is of. */
export type Place = Pick<WorkItemRow, 'invoice_id' | 'payment_cycle_id'>

/** Writes one status into many rows, and the place of each; answers their versions by id. */
export async function markRows(
  tx: Transaction,
  { table }: Stored,
  organization_id: string,
  marked: readonly (Pick<WorkItemRow, 'id' | 'status'> & Place)[],
): Promise<Map<string, string>> {
  const ids = marked.map(({ id }) => id)
  const rows = await tx.rows<{ id: string; updated_at: string }>(sql`
    update ${raw(table)} t set status = ${marked[0]?.status}, invoice_id = n.invoice_id, payment_cycle_id = n.payment_cycle_id,
      ${moved(tx, 't')}
    from unnest(${ids}::uuid[], ${marked.map(({ invoice_id }) => invoice_id)}::uuid[],
                ${marked.map(({ payment_cycle_id }) => payment_cycle_id)}::uuid[]) as n (id, invoice_id, payment_cycle_id)
    where t.organization_id = ${organization_id} and t.id = any (${ids}) and t.id = n.id
    returning t.id, t.updated_at`)
  return new Map(rows.map(({ id, updated_at }) => [id, updated_at]))
}

/** True when the final settlement of an ended contract was due by then, also where the sweep has not come to it. */
export async function isSettled(tx: Transaction, { organization_id, id }: Contract, now: string): Promise<boolean> {
  const row = await tx.row(sql`
    select id from timers
    where organization_id = ${organization_id} and kind = 'final_settlement' and subject_id = ${id}
      and cancelled_at is null and due_at <= ${now} limit 1`)
  return row !== undefined
}
