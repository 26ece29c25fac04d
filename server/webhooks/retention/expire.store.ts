import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { type MovingLane, moved_rows_max } from '../delivery/move.store.ts'

/** An event is as old as its id: only the partitions past the retention are looked into. */
const expired = (retention_days: number) =>
  sql`d.status = 'held' and d.event_id < first_id_at(app_now() - ${retention_days} * interval '1 day')`

/** Lanes that hold deliveries of events older than the retention. */
export async function lanesToExpire(tx: Transaction, retention_days: number, lanes_max: number): Promise<string[]> {
  const rows = await tx.rows<{ subscription_id: string }>(sql`
    select distinct d.subscription_id from webhook_deliveries d where ${expired(retention_days)} limit ${lanes_max}`)
  return rows.map(({ subscription_id }) => subscription_id)
}

/** Whatever it was held for: it ends unsent, and stays visible and replayable until its week is dropped. */
export function expireHeld(tx: Transaction, lane: MovingLane, retention_days: number): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'expired', hold_reason = null, completed_at = app_now(), updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id from webhook_deliveries d
      where d.subscription_id = ${lane.subscription_id} and ${expired(retention_days)} limit ${moved_rows_max}
    ) old
    where d.organization_id = old.organization_id and d.event_id = old.event_id and d.id = old.id`)
}
