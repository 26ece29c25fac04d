import { type Database, type Sql, sql, type Transaction } from '#db/database.ts'
import { bench_body } from './bare-post.ts'
import type { Installation } from './installation.ts'
import { madeIdAt } from './made-id.ts'
import type { BenchOrganization } from './organization.ts'

/** Waiting to be sent now, waiting for a time far away, or done. */
export type DeliveryState = 'due' | 'future' | 'succeeded'

export interface Spreading {
  /** Only over the subscriptions to these receivers. */
  urls?: readonly string[] | null
  /** Delays after a failed attempt; none: there is one attempt. */
  delays_ms?: readonly number[]
}

const two_days_ms = 172_800_000

/** Rows of one statement at most, so that none holds a million in memory. */
const rows_per_statement = 100_000

/**
 * Makes deliveries by SQL, spread evenly over the subscriptions of an organization, as the service leaves them: with event
 * and body, done ones with their attempt; those that are not due with their place in the feed. Those that wait for
 * later are on a schedule of two days, since a wait longer than its schedule tells would be shortened.
 */
export async function fillDeliveries(
  { database }: Installation,
  { id: organization_id }: Pick<BenchOrganization, 'id'>,
  state: DeliveryState,
  count: number,
  spread: Spreading = {},
): Promise<void> {
  const spread_on = state === 'future' ? { ...spread, delays_ms: Array(10).fill(two_days_ms) } : spread
  const fill = { due: fillDue, future: fillFuture, succeeded: fillSucceeded }[state]
  for (let left = count; left > 0; left -= rows_per_statement) {
    const rows = Math.min(left, rows_per_statement)
    const made = madeRows(organization_id, rows, spread_on)
    const recorded = recordedRows(organization_id, state === 'due' ? null : await takePlaces(database, rows))
    await database.transaction({ role: 'app', organization_id }, (tx) => fill(tx, organization_id, made, recorded))
  }
  const client = await database.connect()
  if (count > rows_per_statement)
    await client.query(
      'vacuum (analyze) events, event_bodies, event_resources, webhook_open_deliveries, webhook_deliveries, webhook_attempts',
    )
  client.release()
}

function madeRows(organization_id: string, count: number, { urls = null, delays_ms = [] }: Spreading): Sql {
  return sql`
    lanes as (
      select id, row_number() over (order by id) - 1 as place, count(*) over () as total
      from webhook_subscriptions where organization_id = ${organization_id} and status = 'active'
        and (${urls}::text[] is null or url = any (${urls}::text[]))
    ), schedule as (
      insert into webhook_schedules (delays_ms) values (${delays_ms}::bigint[])
      on conflict (delays_ms) do update set delays_ms = excluded.delays_ms returning id
    ), made as materialized (
      select n, ${madeIdAt(sql`app_now()`)} as event_id, ${madeIdAt(sql`app_now()`)} as id, l.id as subscription_id
      from generate_series(1, ${count}::int) n join lanes l on l.place = n % l.total
    )`
}

/** The last number of the feed before so many that are taken; the feed has no gap once their events are there. */
async function takePlaces(database: Database, rows: number): Promise<string> {
  const head = await database.transaction({ role: 'engine' }, (tx) =>
    tx.row<{ before: string }>(sql`
      update event_feed_head set feed_seq = feed_seq + ${rows} returning feed_seq - ${rows} as before`),
  )
  return head?.before ?? '0'
}

/** The events of the rows made, with bodies and resource ids; in the feed after `feed_seq`, or not yet. */
function recordedRows(organization_id: string, feed_seq: string | null): Sql {
  return sql`
    recorded as (
      insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, feed_seq)
      select ${organization_id}, event_id, 'contract.created', app_now(), app_now(), false, '[]', ${feed_seq}::bigint + n
      from made
    ), stored as (
      insert into event_bodies (organization_id, event_id, rendering, body, sha256)
      select ${organization_id}, event_id, 'v2', ${Buffer.from(bench_body)}, sha256(${Buffer.from(bench_body)}) from made
    ), found as (
      insert into event_resources (organization_id, event_id, resource_id) select ${organization_id}, event_id, id from made
    )`
}

function fillDue(tx: Transaction, organization_id: string, made: Sql, recorded: Sql): Promise<number> {
  return tx.run(sql`
    with ${made}, ${recorded}
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, origin, status, schedule_id, next_attempt_at, created_at, updated_at)
    select ${organization_id}, event_id, made.id, subscription_id, 'contract.created', false, 'v2', 'event', 'pending',
      schedule.id, app_now(), app_now(), app_now() from made cross join schedule`)
}

function fillFuture(tx: Transaction, organization_id: string, made: Sql, recorded: Sql): Promise<number> {
  return tx.run(sql`
    with ${made}, ${recorded}
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, origin, status, schedule_id, attempt_no, next_attempt_at, created_at, updated_at)
    select ${organization_id}, event_id, made.id, subscription_id, 'contract.created', false, 'v2', 'event', 'pending',
      schedule.id, 1 + n % 10, app_now() + interval '1 day' + n * interval '1 ms', app_now(), app_now()
    from made cross join schedule`)
}

function fillSucceeded(tx: Transaction, organization_id: string, made: Sql, recorded: Sql): Promise<number> {
  return tx.run(sql`
    with ${made}, ${recorded}, tried as (
      insert into webhook_attempts (organization_id, event_id, id, delivery_id, subscription_id, series, attempt_no,
        counted, started_at, total_ms, url, request_headers, key_labels, response_status, outcome, decision, worker, applied)
      select ${organization_id}, event_id, ${madeIdAt(sql`app_now()`)}, id, subscription_id, 1, 0, true, app_now(), 5,
        'https://localhost/hook', '{"content-type": "application/json"}', '{key_bench}', 200, 'succeeded', 'done', 'bench',
        true from made
    )
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, status, schedule_id, series, attempt_no, created_at, updated_at, first_attempt_at, completed_at)
    select ${organization_id}, event_id, id, subscription_id, 'contract.created', false, 'v2', 'event', 'succeeded', 0, 1, 0,
      app_now(), app_now(), app_now(), app_now() from made`)
}
