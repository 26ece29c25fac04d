import { system_actor } from '#core/caller.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { copiedOf } from './invoice-adjustment.store.ts'
import { adjustmentEvents, type InvoiceAdjustmentRow, invoiceAdjustment } from './invoice-adjustment.ts'

/**
 * Copies the recurring ones among the adjustments that a cycle of a locked contract has collected, dated the end of the
 * next cycle (domain rules 6.4, 5): approved at business time, and at most one copy of each.
 */
export async function recur(
  { tx, emit, newId, now }: Pick<ReactionContext, 'tx' | 'emit' | 'newId' | 'now'>,
  collected: readonly InvoiceAdjustmentRow[],
  { date, last_day }: { date: string; last_day: string | null },
): Promise<InvoiceAdjustmentRow[]> {
  const recurring = collected.filter(
    ({ is_recurring, recurring_until }) =>
      is_recurring && date <= (recurring_until ?? date) && date <= (last_day ?? date),
  )
  const [first] = recurring
  if (!first) return []
  const copied = await copiedOf(
    tx,
    first.organization_id,
    recurring.map(({ id }) => id),
  )
  const copies = recurring
    .filter(({ id }) => !copied.has(id))
    .map(({ id, created_at: _, updated_at: __, ...row }) =>
      invoiceAdjustment.newRow(tx, {
        ...row,
        ...{ id: newId(), recurred_from_id: id, date, external_id: null, status: 'approved', approved_at: now },
        ...{ submitted_by: system_actor, review: null, payment_cycle_id: null, invoice_id: null },
      }),
    )
  for (const copy of copies) {
    await invoiceAdjustment.insert(tx, copy)
    emit(adjustmentEvents.created, invoiceAdjustment.entryOf(copy))
  }
  return copies
}
