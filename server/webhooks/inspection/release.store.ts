import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface HeldDelivery {
  organization_id: string
  event_id: string
  subscription_id: string
  status: string
  hold_reason: string | null
}

/** A delivery by its id alone, of any organization. */
export function findHeld(tx: Transaction, id: string): Promise<HeldDelivery | undefined> {
  return tx.row<HeldDelivery>(sql`
    select organization_id, event_id, subscription_id, status, hold_reason from webhook_deliveries
    where id = ${id} and status = 'held'`)
}

/** Locked in the engine's order: the lane first. Answers whether it was still held for faults of our own. */
export async function releaseInternal(tx: Transaction, { subscription_id, event_id }: HeldDelivery, id: string) {
  await tx.run(sql`select from webhook_lanes where subscription_id = ${subscription_id} for update`)
  const released = await tx.run(sql`
    update webhook_deliveries
    set status = 'pending', hold_reason = null, faults = 0, next_attempt_at = app_now(), updated_at = app_now()
    where event_id = ${event_id} and id = ${id} and status = 'held' and hold_reason = 'internal'`)
  return released > 0
}
