import type { ListQuery } from '#core/list.ts'
import { moved } from '#core/table.ts'
import { join, sql, type Transaction } from '#db/database.ts'
import {
  type InvoiceLineRow,
  type InvoiceRow,
  type InvoiceStatus,
  invoice,
  invoiceLine,
  type Noted,
  type Parties,
} from './invoice.ts'

type Tenant = { organization_id: string }

export const ofWorker = (worker_id: string) => sql`invoices.worker_id = ${worker_id}`

/** Worker and company of contracts, as an invoice that is issued now names them, by contract. */
export async function partiesOf(tx: Transaction, organization_id: string, contract_ids: readonly string[]) {
  const rows = await tx.rows<Parties & { id: string }>(sql`
    select c.id,
           jsonb_build_object('name', w.full_name, 'country', coalesce(w.country, c.country),
                              'address', w.home_address, 'vat_id', w.vat_id) as supplier,
           jsonb_build_object('name', e.name, 'country', e.country, 'address', e.address, 'vat_id', e.vat_id,
                              'registration_number', e.registration_number) as customer
    from contracts c
    join people w on w.organization_id = c.organization_id and w.id = c.worker_id
    join legal_entities e on e.organization_id = c.organization_id and e.id = c.legal_entity_id
    where c.organization_id = ${organization_id} and c.id = any (${contract_ids})`)
  const parties = new Map(rows.map(({ id, ...each }) => [id, each]))
  return (contract_id: string): Parties => {
    const found = parties.get(contract_id)
    if (!found) throw new Error(`the contract ${contract_id} has lost a party`)
    return found
  }
}

/** The lines of an invoice in their order. */
export function linesOf(tx: Transaction, { organization_id, id }: Tenant & { id: string }): Promise<InvoiceLineRow[]> {
  return tx.rows<InvoiceLineRow>(sql`
    select ${invoiceLine.columns} from ${invoiceLine.tables}
    where invoice_lines.organization_id = ${organization_id} and invoice_lines.invoice_id = ${id}
    order by invoice_lines.position`)
}

/** The sources of a cancelled invoice may stand on another one. */
export async function dropLines(tx: Transaction, { organization_id, id }: Tenant & { id: string }): Promise<void> {
  await tx.run(sql`
    update invoice_lines set is_standing = false where organization_id = ${organization_id} and invoice_id = ${id}`)
}

/** Invoices by id, locked in the order of their ids and read after the lock; missing ones are left out. */
export async function lockInvoices(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<InvoiceRow[]> {
  const [, rows] = await Promise.all([
    tx.run(sql`
      select id from invoices where organization_id = ${organization_id} and id = any (${ids})
      order by id for no key update`),
    tx.rows<InvoiceRow>(sql`
      select ${invoice.columns} from ${invoice.tables}
      where invoices.organization_id = ${organization_id} and invoices.id = any (${ids}) order by invoices.id`),
  ])
  return rows
}

/** Writes one status into many locked invoices; answers their versions by id. */
export async function writeMove(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
  { status, payment_id, paid_at = null }: Noted & { status: InvoiceStatus },
): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; updated_at: string }>(sql`
    update invoices set status = ${status}, paid_at = ${paid_at},
      payment_id = ${payment_id === undefined ? sql`payment_id` : sql`${payment_id}`},
      is_overdue = is_overdue and ${status === 'pending' || status === 'processing'},
      ${moved(tx)}
    where organization_id = ${organization_id} and id = any (${ids}) returning id, updated_at`)
  return new Map(rows.map(({ id, updated_at }) => [id, updated_at]))
}

/**
 * The next numbers of a kind of document in a year, such as INV-2026-000012. Their counter stays locked until the transaction
 * ends: numbers have no gaps, since one that is rolled back is given again.
 */
export async function takeNumbers(
  tx: Transaction,
  organization_id: string,
  { kind, prefix, year, count }: { kind: 'invoice' | 'payment'; prefix: string; year: number; count: number },
): Promise<string[]> {
  const row = await tx.row<{ last: number }>(sql`
    insert into document_counters as c (organization_id, kind, year, last)
    values (${organization_id}, ${kind}, ${year}, ${count})
    on conflict (organization_id, kind, year) do update set last = c.last + excluded.last returning last`)
  const before = (row?.last ?? 0) - count
  return Array.from({ length: count }, (_, at) => `${prefix}-${year}-${String(before + at + 1).padStart(6, '0')}`)
}

/** The lines of the invoices of a list with their invoices, by date, number and position. */
export function exportedLines<Row extends object>(tx: Transaction, { from, where }: ListQuery): Promise<Row[]> {
  return tx.rows<Row>(sql`
    select invoices.number, invoices.status, invoices.contract_id, worker.email as worker_email,
      worker.full_name as worker_name, invoices.issue_date, invoices.due_date, invoices.paid_at,
      l.position as line_position, l.type as line_type, l.description as line_description, l.source_kind, l.source_id,
      l.quantity, l.unit_price, l.amount, invoices.currency, l.is_taxable, invoices.vat_rate, invoices.vat_total,
      invoices.total
    from ${from} join invoice_lines l on l.organization_id = invoices.organization_id and l.invoice_id = invoices.id
    where ${join(where, ' and ')} order by invoices.issue_date, invoices.number, l.position`)
}
