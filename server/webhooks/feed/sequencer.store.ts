import type { Transaction } from '#db/database.ts'
import { raw, sql } from '#db/sql.ts'

/** Any number; the same in every process. */
const sequencer_lock = 7_316_413

/** Events numbered in one transaction. */
export const numbered_events_max = 1_000

/**
 * Whether this transaction may give numbers. A statement of its own: the next one takes its snapshot after the lock, so
 * it sees every number given before.
 */
export async function lockSequencer(tx: Transaction): Promise<boolean> {
  const row = await tx.row<{ is_locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${sequencer_lock}) as is_locked`,
  )
  return row?.is_locked ?? false
}

/** Gives the oldest committed events without a number the next numbers; answers how many. */
export async function numberEvents(tx: Transaction): Promise<number> {
  // The limit is written out: a plan for any limit would reckon with a tenth of the table.
  return tx.run(sql`
    with waiting as materialized (
      select organization_id, event_id, row_number() over (order by event_id) as place
      from (
        select organization_id, event_id from events where feed_seq is null and not is_simulation
        order by event_id limit ${raw(String(numbered_events_max))}
      ) oldest
    ), head as (
      update event_feed_head set feed_seq = feed_seq + (select count(*) from waiting)
      where exists (select from waiting)
    )
    update events e set feed_seq = (select feed_seq from event_feed_head) + waiting.place
    from waiting where e.organization_id = waiting.organization_id and e.event_id = waiting.event_id`)
}
