import type { Actor } from '#core/caller.ts'
import { type Sql, sql, type Transaction, type TransactionOptions } from '#db/database.ts'
import type { DeliveryOrigin } from '../fan-out.store.ts'
import { recordRevision } from '../subscriptions/subscription.store.ts'
import type { LastErrorRow } from '../subscriptions/subscription.ts'
import type { QueueState } from './decide-outcome.ts'
import type { Head } from './schedule.ts'

/** A lease outlasts the 30 s of an attempt by far; after it another process may take the delivery. */
export const lease_ms = 60_000

/**
 * The transactions that claim and record.
 *
 * The commit answers before its log record is on disk: after a crash of the database the lease or the result is missing,
 * and the delivery is made again, which at-least-once allows (10–40 % more deliveries/s).
 *
 * Everything goes by index, one probe per row. The planner does not know how long an array is or what a `limit` from a
 * row comes to; it assumed a tenth of a backlog and read all deliveries to lease one (20,000 rows in the test).
 *
 * Nor is anything planned again for the values at hand: the tables have a partition per week, and planning a
 * transaction took longer than running it (4.4 against 3.2 ms).
 */
export const delivering: TransactionOptions = {
  role: 'engine',
  begins_at_once: true,
  settings: {
    synchronous_commit: 'off',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
  },
}

/** A subscription with what its attempts need, as it is while its queue is locked. */
export interface QueueRow extends QueueState {
  organization_id: string
  subscription_id: string
  url: string
  name: string | null
  events: string[]
  api_version: string
  /** Live keys, the primary one first; what is sealed in base64. */
  keys: { label: string; sealed: string }[]
  /** The use of one of them has not been noted for a minute. */
  is_use_due: boolean
  /** Attempts under way over all processes: delivery and lease token, in one text. */
  leases: string | null
  /** Deliveries recorded until then end unsent. */
  discard_before: string | null
}

/**
 * Locks queues in the order of their ids, as everybody does, and reads them; those on which somebody else works are read
 * unlocked. Two statements, one behind the other: counting running attempts in the same one would use a snapshot older
 * than the lock, and two workers could together exceed the cap. A claim that follows reads which are locked from the
 * setting, so that it can travel with these.
 */
export async function lockQueues(tx: Transaction, subscription_ids: readonly string[]) {
  const [[locking], rows] = await Promise.all([
    tx.send<{ locked: string }>(sql`
      select set_config('app.locked_queues', coalesce(string_agg(subscription_id::text, ' '), ''), true) as locked from (
        select subscription_id from webhook_lanes where subscription_id = any (${subscription_ids}::uuid[])
        order by subscription_id for update skip locked) free`),
    tx.send<QueueRow>(sql`
      select s.organization_id, s.id as subscription_id, s.status, s.url, s.name, to_json(s.events) as events,
        s.api_version, keys.*, l.discard_before, l.consecutive_failures, l.failing_since, l.window_size, l.window_halved_at, l.is_quick,
        (select string_agg(d.id || ' ' || d.lease_token, ',') from webhook_open_deliveries d
         where d.subscription_id = s.id and d.status = 'sending') as leases
      from webhook_subscriptions s
      join webhook_lanes l on l.organization_id = s.organization_id and l.subscription_id = s.id
      cross join lateral (
        select coalesce(json_agg(json_build_object('label', k.label, 'sealed', encode(k.sealed, 'base64'))
                                 order by k.activates_at <= app_now() desc, k.activates_at desc), '[]') as keys,
          bool_or(k.last_used_at > app_now() - interval '1 minute') is not true as is_use_due
        from webhook_signing_keys k
        where k.organization_id = s.organization_id and k.subscription_id = s.id and k.sealed is not null
          and (k.retires_at is null or k.retires_at > app_now())) keys
      where s.id = any (${subscription_ids}::uuid[])`),
  ])
  const ids = new Set(locking?.locked.split(' '))
  return new Map(
    rows.map(({ leases, ...row }) => [
      row.subscription_id,
      { ...row, leases: new Set(leases?.split(',')), is_locked: ids.has(row.subscription_id) },
    ]),
  )
}

/** Queues under work. Each recorded attempt leaves a new one, with the leases that are left. */
export type Queues = Awaited<ReturnType<typeof lockQueues>>

/** A delivery on lease, as its attempt is recorded. */
export interface LeasedRow {
  organization_id: string
  event_id: string
  id: string
  subscription_id: string
  event_type: string
  origin: DeliveryOrigin
  source_delivery_id: string | null
  series: number
  attempt_no: number
  /** The delay that follows a failure of this attempt, by the schedule its series began with; null after the last one. */
  delay_ms: number | null
  faults: number
  /** When it was due. */
  next_attempt_at: string
  lease_token: string
}

/** Columns of such a row, of delivery `d` with its schedule `c`. */
export const leased_columns = sql`
  d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.origin, d.source_delivery_id, d.series,
  d.attempt_no, d.faults, d.next_attempt_at, d.lease_token, (c.delays_ms[d.attempt_no + 1])::float8 as delay_ms`

/** A delivery just leased, with everything that is sent but url and keys. */
export interface DueRow extends LeasedRow {
  body: Buffer
  trace_id: string | null
  created_at: string
}

/** Due deliveries of one queue and attempt number to take. */
export interface DueHead extends Head {
  subscription_id: string
  want: number
  /** None is taken beyond so many attempts of the queue that run at once, over all processes. */
  running_max: number
  /** The facts that this limit follows from: where the queue has others, nothing is taken. */
  window_size: number
  consecutive_failures: number
}

/**
 * Leases due deliveries of locked queues: furthest series first, then due time, then id, so that a backlog cannot keep
 * the leading delivery from finishing its series.
 *
 * One index probe per queue and attempt number, which ends after as many rows as there is room for. It begins where the
 * last one ended: index entries of what was taken stay for as long as an old snapshot is open, and each claim would walk
 * over all of them again (50,000 became 14,000 deliveries/s).
 */
export function leasing(heads: readonly DueHead[], { token, owner }: { token: string; owner: string }): Sql {
  return sql`
    with candidate as materialized (
      select d.row_place, d.lease_token, free.room,
        row_number() over (partition by head.subscription_id
                           order by head.attempt_no desc, d.next_attempt_at, d.id) as place
      from unnest(${heads.map(({ subscription_id }) => subscription_id)}::uuid[],
                  ${heads.map(({ attempt_no }) => attempt_no)}::int[], ${heads.map(({ want }) => want)}::int[],
                  ${heads.map(({ running_max }) => running_max)}::int[],
                  ${heads.map(({ window_size }) => window_size)}::int[],
                  ${heads.map(({ consecutive_failures }) => consecutive_failures)}::int[],
                  ${heads.map(({ due_at_ms }) => new Date(due_at_ms).toISOString())}::timestamptz[],
                  ${heads.map(({ id }) => id)}::uuid[])
        as head (subscription_id, attempt_no, want, running_max, window_size, consecutive_failures, due_from, id_from)
      join webhook_lanes l on l.subscription_id = head.subscription_id and l.window_size = head.window_size
        and l.consecutive_failures = head.consecutive_failures
        and l.subscription_id = any (string_to_array(current_setting('app.locked_queues'), ' ')::uuid[])
      join webhook_subscriptions s on s.organization_id = l.organization_id and s.id = l.subscription_id
        and s.status = 'active'
      cross join lateral (
        select greatest(least(head.want, head.running_max - count(*)), 0) as room from webhook_open_deliveries d
        where d.subscription_id = head.subscription_id and d.status = 'sending') free
      cross join lateral (
        select ${place_of_row}, d.id, d.next_attempt_at from webhook_open_deliveries d
        where d.subscription_id = head.subscription_id and d.status = 'pending' and d.attempt_no = head.attempt_no
          and d.next_attempt_at <= app_now() and (d.next_attempt_at, d.id) >= (head.due_from, head.id_from)
        order by d.next_attempt_at, d.id limit free.room
        for update skip locked) d
    ), leased as (
      update webhook_open_deliveries d
      set status = 'sending', lease_token = ${token}, lease_owner = ${owner},
        lease_expires_at = app_now() + ${`${lease_ms} milliseconds`}::interval, updated_at = app_now(),
        first_attempt_at = coalesce(d.first_attempt_at, app_now())
      from candidate u where u.place <= u.room and ${is_in_place}
      returning d.*
    )
    select ${leased_columns}, d.trace_id, d.created_at, b.body from leased d
    join webhook_schedules c on c.id = d.schedule_id
    join event_bodies b on b.organization_id = d.organization_id and b.event_id = d.event_id
      and b.rendering = d.rendering
    order by d.attempt_no desc, d.next_attempt_at, d.id`
}

/** Gives leases back unsent: due as before. */
export function returnLeases(tx: Transaction, leases: readonly LeasedRow[]): Promise<number> {
  return tx.run(sql`
    update webhook_open_deliveries d
    set status = u.status, lease_token = null, lease_owner = null, lease_expires_at = null, updated_at = app_now()
    from (${leasesInto('pending', leases)}) u where ${is_in_place}`)
}

/** Deliveries whose leases still hold, with the status that they are to have. */
export function leasesInto(status: 'cancelled' | 'discarded' | 'pending', leases: readonly LeasedRow[]): Sql {
  return onLease(
    leases.map(({ organization_id, event_id, id, lease_token }) => ({
      ...{ organization_id, event_id, id, lease_token, status },
    })),
  )
}

/** Rows of a table as objects with its columns; bytes as `\x` and hexadecimal digits. */
type Rows = readonly Record<string, unknown>[]

const openRows = (rows: Rows): Sql =>
  sql`json_populate_recordset(null::webhook_open_deliveries, ${JSON.stringify(rows)}::json)`

/** Rows whose leases still hold, with the places of their deliveries. */
const onLease = (rows: Rows): Sql => sql`
  select u.*, d.row_place from ${openRows(rows)} u cross join lateral (
    select ${place_of_row} from webhook_open_deliveries d
    where d.organization_id = u.organization_id and d.event_id = u.event_id and d.id = u.id
      and d.lease_token = u.lease_token offset 0) d`

/**
 * Writes the end of attempts: their evidence, which a repeat after a lost connection leaves as it is; the next state of
 * their deliveries, unless a lease was lost meanwhile; and the counters of their queues, which are locked, with the newest
 * times and the newest error.
 */
export function recordAttempts(
  tx: Transaction,
  { attempts, deliveries, queues }: { attempts: Rows; deliveries: Rows; queues: Rows },
): void {
  const { open = [], ended = [] } = Object.groupBy(deliveries, ({ status }) =>
    status === 'pending' || status === 'held' ? 'open' : 'ended',
  )
  if (open.length > 0)
    tx.send(sql`
      update webhook_open_deliveries d
      set status = u.status, hold_reason = u.hold_reason, attempt_no = u.attempt_no, next_attempt_at = u.next_attempt_at,
        faults = u.faults, last_status = u.last_status, last_error_class = u.last_error_class, updated_at = app_now(),
        lease_token = null, lease_owner = null, lease_expires_at = null
      from (${onLease(open)}) u where ${is_in_place}`)
  tx.send(sql`
    with evidence as (
      insert into webhook_attempts
      select * from json_populate_recordset(null::webhook_attempts, ${JSON.stringify(attempts)}::json)
      on conflict do nothing
    ), ${ending(onLease(ended), sql`u.attempt_no, u.last_status, u.last_error_class`)}
    update webhook_lanes l
    set consecutive_failures = u.consecutive_failures, failing_since = u.failing_since, window_size = u.window_size,
      window_halved_at = u.window_halved_at, is_quick = u.is_quick,
      last_attempt_at = greatest(l.last_attempt_at, u.last_attempt_at),
      last_success_at = greatest(l.last_success_at, u.last_success_at),
      last_error = coalesce(u.last_error, l.last_error)
    from json_populate_recordset(null::webhook_lanes, ${JSON.stringify(queues)}::json) u
    where l.organization_id = u.organization_id and l.subscription_id = u.subscription_id`)
}

/** Settles the source of a successful redelivery: done when it still waits, recovered when it had been given up. */
export function recoverSources(tx: Transaction, sources: Rows): void {
  if (sources.length === 0) return
  const waiting = sql`
    select ${place_of_row}, 'succeeded' as status from ${openRows(sources)} s join webhook_open_deliveries d
      on d.organization_id = s.organization_id and d.event_id = s.event_id and d.id = s.id and d.status = 'pending'`
  tx.send(sql`with ${ending(waiting)} select`)
  tx.send(sql`
    update webhook_deliveries d set recovered_at = coalesce(d.recovered_at, app_now()), updated_at = app_now()
    from ${openRows(sources)} s
    where d.organization_id = s.organization_id and d.event_id = s.event_id and d.id = s.id
      and d.status in ('failed', 'discarded', 'expired')`)
}

/** When keys were last used, to the minute: more would rewrite the row with every transaction. */
export function noteKeyUse(tx: Transaction, keys: Rows): void {
  if (keys.length === 0) return
  tx.send(sql`
    update webhook_signing_keys k set last_used_at = app_now()
    from json_populate_recordset(null::webhook_signing_keys, ${JSON.stringify(keys)}::json) u
    where k.organization_id = u.organization_id and k.label = u.label`)
}

/** The status change of a subscription whose last attempt failed once too often. */
export async function disableForFailures(
  tx: Transaction,
  { organization_id, subscription_id }: Pick<QueueRow, 'organization_id' | 'subscription_id'>,
  error: LastErrorRow | null,
  by: Actor,
): Promise<void> {
  const disabled = await tx.run(sql`
    update webhook_subscriptions
    set status = 'disabled', disabled_reason = 'failures', disabled_at = ${tx.now}, disabled_by = null,
      disabled_error = ${error && JSON.stringify(error)}, revision = revision + 1, updated_at = app_now()
    where organization_id = ${organization_id} and id = ${subscription_id} and status = 'active'`)
  if (disabled > 0) await recordRevision(tx, organization_id, subscription_id, by)
}

/**
 * The place of the row of open delivery `d`, by which it is found again within the same statement, not by its key: the
 * table is mostly empty when it is analyzed, and by keys the planner joined from its side, walking a whole index to end three
 * deliveries (24,036 entries in the test). By place it can only probe. A row that moved meanwhile
 * is looked at once more: under another lease it stays.
 */
export const place_of_row = sql`d.ctid as row_place, d.lease_token`
export const is_in_place = sql`d.ctid = u.row_place and d.lease_token is not distinct from u.lease_token`

/** As a delivery is when nothing was tried since. */
const as_before = sql`d.attempt_no, d.last_status, d.last_error_class`

/**
 * The end of open deliveries, as two parts of a `with`: they leave their table and go into the history, where each is
 * written this one time. `chosen` are their places, each with the `status` that it ends in.
 */
export const ending = (chosen: Sql, last: Sql = as_before): Sql => sql`
  ended as (
    delete from webhook_open_deliveries d using (${chosen}) u where ${is_in_place}
    returning d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.is_simulation, d.rendering,
      d.origin, d.source_delivery_id, d.replay_id, u.status, d.schedule_id, d.series, ${last}, d.created_at,
      app_now() as updated_at, d.first_attempt_at, app_now() as completed_at
  ), history as (
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, source_delivery_id, replay_id, status, schedule_id, series, attempt_no, last_status, last_error_class,
      created_at, updated_at, first_attempt_at, completed_at)
    select * from ended
  )`

/** Ends the open deliveries that are chosen, unsent; answers how many. */
export async function endDeliveries(tx: Transaction, chosen: Sql): Promise<number> {
  const row = await tx.row<{ ended: number }>(sql`with ${ending(chosen)} select count(*)::int as ended from ended`)
  return row?.ended ?? 0
}
