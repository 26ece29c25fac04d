import { moved } from '#core/table.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { type PaymentCycleRow, paymentCycle } from './payment-cycle.ts'

export const ofContract = (contract_id: string): Sql => sql`payment_cycles.contract_id = ${contract_id}`

/** The cycles of contracts that still follow them, the active one first. Their rows are locked, so nobody else writes them. */
export async function openCycles(tx: Transaction, organization_id: string, contract_ids: readonly string[]) {
  const rows = await tx.rows<PaymentCycleRow>(sql`
    select ${paymentCycle.columns} from ${paymentCycle.tables}
    where payment_cycles.organization_id = ${organization_id} and payment_cycles.contract_id = any (${contract_ids})
      and payment_cycles.status in ('upcoming', 'active')
    order by payment_cycles.start_date`)
  return Map.groupBy(rows, ({ contract_id }) => contract_id)
}

/** Locks the cycles of invoices in the order of their ids. */
export async function lockCyclesOf(tx: Transaction, organization_id: string, invoice_ids: readonly string[]) {
  await tx.run(sql`
    select c.id from payment_cycles c
    join invoices i on i.organization_id = c.organization_id and i.payment_cycle_id = c.id
    where c.organization_id = ${organization_id} and i.id = any (${invoice_ids})
    order by c.id for no key update of c`)
}

/** The invoices of these cycles have been paid. */
export async function markCyclesPaid(tx: Transaction, organization_id: string, invoice_ids: readonly string[]) {
  await tx.run(sql`
    update payment_cycles
    set status = 'paid', ${moved(tx)}
    where organization_id = ${organization_id} and invoice_id = any (${invoice_ids}) and status = 'invoiced'`)
}
