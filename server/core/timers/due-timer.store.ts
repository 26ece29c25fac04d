import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { Timer } from './timer.ts'

export interface DueTimer extends Timer {
  id: string
  failures: number
}

/** Any number; with the organization's hash it names the lock under which its timers fire. */
const sweep_lock = 7_316_413

// A failed timer that waits for its retry holds back the timers of its contract, whose order matters, and no others.
const is_due = sql`
  fired_at is null and cancelled_at is null and due_at <= app_now()
  and not exists (
    select from timers held
    where held.organization_id = timers.organization_id and held.retry_at > app_now()
      and held.fired_at is null and held.cancelled_at is null
      and coalesce(held.contract_id, held.id) = coalesce(timers.contract_id, timers.id))`

/** Organizations with a due timer, the one that waits longest first. The engine role sees the timers of all. */
export async function organizationsWithDueTimers(
  tx: Transaction,
  kinds: readonly string[],
  organizations_max: number,
): Promise<string[]> {
  const rows = await tx.rows<{ organization_id: string }>(sql`
    select organization_id from timers where kind = any (${kinds}) and ${is_due}
    group by organization_id order by min(due_at) limit ${organizations_max}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** Whether this transaction now is the one that fires timers of the organization; it holds the right until its end. */
export async function lockTimersOf(tx: Transaction, organization_id: string): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${sweep_lock}, hashtext(${organization_id})) as locked`,
  )
  return row?.locked === true
}

export function nextDueTimer(
  tx: Transaction,
  organization_id: string,
  kinds: readonly string[],
): Promise<DueTimer | undefined> {
  return tx.row<DueTimer>(sql`
    select id, organization_id, kind, priority, subject_id, contract_id, due_at, failures from timers
    where organization_id = ${organization_id} and kind = any (${kinds}) and ${is_due}
    order by due_at, priority, contract_id, id limit 1`)
}

/**
 * Marks a timer as fired; false when it was cancelled or moved since it was read. It is not locked before its effects:
 * operations lock the business rows first and the timer last, and so does the sweep.
 */
export async function markFired(tx: Transaction, { organization_id, id, due_at }: DueTimer): Promise<boolean> {
  const marked = await tx.run(sql`
    update timers set fired_at = app_now(), retry_at = null
    where organization_id = ${organization_id} and id = ${id} and due_at = ${due_at}
      and fired_at is null and cancelled_at is null`)
  return marked === 1
}

/** Notes a failure and when to try again; one that was cancelled or moved meanwhile is left alone. */
export async function postpone(
  tx: Transaction,
  { organization_id, id, due_at }: DueTimer,
  pause_ms: number,
): Promise<boolean> {
  const noted = await tx.run(sql`
    update timers set failures = failures + 1, retry_at = app_now() + make_interval(secs => ${pause_ms / 1_000})
    where organization_id = ${organization_id} and id = ${id} and due_at = ${due_at}
      and fired_at is null and cancelled_at is null`)
  return noted === 1
}

/** Milliseconds until the next timer or retry of any organization, negative when late; null when there is none. */
export async function nextDueInMs(tx: Transaction, kinds: readonly string[]): Promise<number | null> {
  // Two questions, each answered by its own index at once; one over greatest(due_at, retry_at) would read every row.
  const row = await tx.row<{ in_ms: number | null }>(sql`
    select (extract(epoch from least(
      (select min(due_at) from timers
       where kind = any (${kinds}) and fired_at is null and cancelled_at is null and retry_at is null),
      (select min(retry_at) from timers
       where kind = any (${kinds}) and fired_at is null and cancelled_at is null and retry_at is not null)
    ) - app_now()) * 1000)::float8 as in_ms`)
  return row?.in_ms ?? null
}
