import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { LaneFacts } from './lane.ts'

/** The earliest pending delivery of one lane and attempt number. */
export interface Head extends LaneFacts {
  subscription_id: string
  attempt_no: number
  next_attempt_at: string
  status: 'active' | 'disabled' | 'deleted'
}

/** Pairs of lane and attempt number looked at in one sweep. */
const heads_max = 50_000

/**
 * Heads that are due within the horizon, and all of lanes that are not active: a loose scan of the due index, one probe
 * per pair, however many deliveries wait (prototype: 24 ms for 1,001 lanes, one of them with 100,000 due rows).
 */
export function readHeads(tx: Transaction, horizon_ms: number): Promise<Head[]> {
  return tx.rows<Head>(sql`
    with recursive head as (
      (select subscription_id, attempt_no, next_attempt_at, 1 as place from webhook_deliveries where status = 'pending'
       order by subscription_id, attempt_no, next_attempt_at limit 1)
      union all
      select next.subscription_id, next.attempt_no, next.next_attempt_at, head.place + 1
      from head cross join lateral (
        select d.subscription_id, d.attempt_no, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.subscription_id, d.attempt_no) > (head.subscription_id, head.attempt_no)
        order by d.subscription_id, d.attempt_no, d.next_attempt_at limit 1) next
      where head.place < ${heads_max}
    )
    select h.subscription_id, h.attempt_no, h.next_attempt_at, s.status, l.organization_id, l.consecutive_failures,
      l.limit_now, l.mean_ms
    from head h join webhook_subscriptions s on s.id = h.subscription_id
    join webhook_lanes l on l.subscription_id = h.subscription_id
    where s.status <> 'active' or h.next_attempt_at <= app_now() + ${`${horizon_ms} milliseconds`}::interval`)
}
