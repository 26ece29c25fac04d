import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { ClaimedDelivery } from './attempt.ts'

/** A delivery whose worker has not reported within its lease. */
export interface LostLease extends ClaimedDelivery {
  lease_owner: string
}

/** Leases of this many deliveries are watched; all processes together seldom have as many under way. */
const watched_max = 20_000

/** Tokens of the leases under way; one claim gives the same to all its deliveries. */
export async function leaseTokens(tx: Transaction): Promise<string[]> {
  const rows = await tx.rows<{ lease_token: string }>(sql`
    select distinct lease_token from (
      select lease_token from webhook_deliveries where status = 'sending' limit ${watched_max}) watched`)
  return rows.map(({ lease_token }) => lease_token)
}

/** Which leases are lost beside those that have run out. */
export interface LostBeside {
  stale_tokens: readonly string[]
  /** Where only one process can hold leases: that process. All others are lost. */
  only_owner: string | null
}

/** The oldest of the lost leases; only as many deliveries are leased as there are slots, so the index is small. */
export function lostLeases(
  tx: Transaction,
  { stale_tokens, only_owner }: LostBeside,
  leases_max: number,
): Promise<LostLease[]> {
  return tx.rows<LostLease>(sql`
    select d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.origin, d.source_delivery_id,
      d.schedule_id, d.series, d.attempt_no, d.faults, d.next_attempt_at, d.lease_token, d.lease_owner, s.url
    from webhook_deliveries d
    join webhook_subscriptions s on s.organization_id = d.organization_id and s.id = d.subscription_id
    where d.status = 'sending' and (d.lease_expires_at <= app_now() or d.lease_token = any (${stale_tokens}::uuid[])
      or d.lease_owner <> ${only_owner}::text)
    order by d.lease_expires_at limit ${leases_max}`)
}
