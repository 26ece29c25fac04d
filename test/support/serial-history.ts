import { type Database, sql } from '#db/database.ts'

/** One recorded attempt, or one change of the subscription's status. */
export type Entry = AttemptEntry | StatusEntry

export interface AttemptEntry {
  kind: 'attempt'
  /** Entries of the same number were written by the same transaction. */
  transaction: string
  id: string
  delivery_id: string
  source_delivery_id: string | null
  origin: string
  /** Of the delivery's schedule. */
  delays_ms: number[]
  series: number
  attempt_no: number
  outcome: 'succeeded' | 'failed' | 'unknown'
  decision: string
  counted: boolean
  applied: boolean
  /** From its start to the attempt that is to follow. */
  waits_ms: number | null
}

export interface StatusEntry {
  kind: 'status'
  transaction: string
  id: string
  status: string
}

/**
 * Reads the history of a subscription in the order in which it happened. Everybody locks the queue before writing
 * anything, so the numbers of their transactions are in the order of the locks; within one, rows lie as they were
 * written.
 */
export async function readHistory(database: Database, subscription_id: string): Promise<Entry[]> {
  return database.transaction({ role: 'owner' }, async (tx) => {
    const attempts = await tx.rows<AttemptEntry>(sql`
      select 'attempt' as kind, a.xmin::text as transaction, a.id, a.delivery_id, d.source_delivery_id, d.origin,
        s.delays_ms::float8[] as delays_ms, a.series, a.attempt_no, a.outcome, a.decision, a.counted, a.applied,
        (extract(epoch from a.next_attempt_at - a.started_at) * 1000)::float8 as waits_ms
      from webhook_attempts a
      join all_webhook_deliveries d on d.organization_id = a.organization_id and d.event_id = a.event_id
        and d.id = a.delivery_id
      join webhook_schedules s on s.id = d.schedule_id
      where a.subscription_id = ${subscription_id} order by a.xmin::text::bigint, a.tableoid, a.ctid`)
    const changes = await tx.rows<StatusEntry>(sql`
      select 'status' as kind, xmin::text as transaction, revision::text as id, status
      from webhook_subscription_revisions where subscription_id = ${subscription_id} order by revision`)
    // The attempts of a transaction come before the change that follows from them.
    return [...attempts, ...changes].sort((a, b) => Number(a.transaction) - Number(b.transaction))
  })
}
