import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { ClaimedDelivery } from './attempt.ts'

/** A delivery whose worker has not reported within its lease. */
export interface LostLease extends ClaimedDelivery {
  lease_owner: string
}

/** The oldest of the expired leases; only as many deliveries are leased as there are slots, so the index is small. */
export function expiredLeases(tx: Transaction, leases_max: number): Promise<LostLease[]> {
  return tx.rows<LostLease>(sql`
    select d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.origin, d.source_delivery_id,
      d.schedule_id, d.series, d.attempt_no, d.faults, d.next_attempt_at, d.lease_token, d.lease_owner, s.url
    from webhook_deliveries d
    join webhook_subscriptions s on s.organization_id = d.organization_id and s.id = d.subscription_id
    where d.status = 'sending' and d.lease_expires_at <= app_now()
    order by d.lease_expires_at limit ${leases_max}`)
}
