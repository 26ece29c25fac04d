import { type Sql, sql, type Transaction } from '#db/database.ts'
import { type PaymentCycleRow, paymentCycle } from './payment-cycle.ts'

export const ofContract = (contract_id: string): Sql => sql`payment_cycles.contract_id = ${contract_id}`

/** The cycles of a contract that still follow it, the active one first. Its row is locked, so nobody else writes them. */
export function openCycles(
  tx: Transaction,
  { organization_id, id }: { organization_id: string; id: string },
): Promise<PaymentCycleRow[]> {
  return tx.rows<PaymentCycleRow>(sql`
    select ${paymentCycle.columns} from ${paymentCycle.tables}
    where payment_cycles.organization_id = ${organization_id} and ${ofContract(id)}
      and payment_cycles.status in ('upcoming', 'active')
    order by payment_cycles.start_date`)
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
    set status = 'paid', updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')
    where organization_id = ${organization_id} and invoice_id = any (${invoice_ids}) and status = 'invoiced'`)
}
