import { createLog } from '#core/log.ts'
import { type Database, sql, type Transaction } from '#db/database.ts'
import { dropWeeks } from '#webhooks/retention/partitions.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { install } from './support/installation.ts'
import { madeIdAt } from './support/made-id.ts'
import { rounded, spreadOf } from './support/statistics.ts'
import { checkpoint } from './support/storage.ts'

const retention_days = 30
/** So long ago that the whole week is past the retention. */
const age_days = 60
const at_most_s = 1

/** G13: dropping a week of events with their bodies, deliveries and attempts. */
export const retention: Benchmark = {
  name: 'retention',
  summary: 'G13: retention of a week with 1,000,000 events, each with body, delivery and attempt',
  async run({ rounds, rows }: Extent): Promise<Result> {
    await using installation = await install({ STINT_ROLES: 'api' })
    const { database } = installation
    const measured: { seconds: number; longest_wait_ms: number; log_mb: number; deleted: number; left: number }[] = []
    const rounds_made = Math.min(rounds, 3)
    for (let round = 0; round < rounds_made; round += 1) {
      await fillWeek(database, rows)
      await checkpoint(installation.connection)
      const before = await usage(database)
      const waits = watchReader(database)
      const started_at_ms = performance.now()
      const done = await dropWeeks({ database, log: createLog('silent'), retention_days })
      const seconds = (performance.now() - started_at_ms) / 1_000
      if (!done) throw new Error('the week could not be dropped')
      const longest_wait_ms = await waits.stop()
      const after = await usage(database)
      measured.push({
        seconds,
        longest_wait_ms,
        log_mb: (after.log_bytes - before.log_bytes) / 1e6,
        deleted: after.deleted - before.deleted,
        left: await countEvents(database),
      })
    }
    const seconds = spreadOf(measured.map((round) => round.seconds))
    return {
      method: `seconds of the keeper's run that drops a week of ${rows} events of ${organizations} organizations with as many bodies, resource ids, deliveries and attempts, vacuumed as autovacuum leaves a table that comes to rest, and swept, ${rounds_made} rounds; files are removed after the commit, when nobody waits any more`,
      storage: installation.server.description,
      rows: measured.map((round, index) => ({
        round: index + 1,
        seconds: rounded(round.seconds),
        'longest wait of a reader (ms)': rounded(round.longest_wait_ms),
        'log written (MB)': rounded(round.log_mb),
        'rows deleted one by one': round.deleted,
        'events left': round.left,
      })),
      outcomes: [
        { goal: 'G13', what: 'dropping the week', measured: seconds, unit: 's', at_most: at_most_s },
        {
          goal: 'G13',
          what: 'rows deleted by DELETE',
          measured: spreadOf(measured.map((round) => round.deleted)),
          unit: 'rows',
          at_most: 0,
        },
      ],
    }
  },
}

/**
 * A week of partitions as it lies there a month later: every event of one of many organizations, in the feed, with body
 * and one delivery that succeeded.
 */
async function fillWeek(database: Database, events: number): Promise<void> {
  const owner = { role: 'owner' } as const
  const at = sql`(app_now() - ${age_days} * interval '1 day')`
  await database.transaction(owner, (tx) => tx.run(sql`select add_event_partitions(${at})`))
  for (let made = 0; made < events; made += rows_per_statement) {
    const to = Math.min(events, made + rows_per_statement)
    await database.transaction(owner, (tx) => fillRows(tx, { from: made + 1, to, events }))
  }
  await vacuum(database)
}

/** Organizations that the events belong to. */
const organizations = 1_000
/** In batches, so that no statement holds a million rows in memory. */
const rows_per_statement = 100_000

async function fillRows(tx: Transaction, { from, to, events }: { from: number; to: number; events: number }) {
  const at = sql`(app_now() - ${age_days} * interval '1 day')`
  const moment = sql`(date_trunc('week', ${at}, 'UTC') + n * (interval '6 days' / ${events}::int))`
  await tx.run(sql`
    create temporary table made on commit drop as
    select n, ${madeIdAt(moment)} as id, md5((n % ${organizations})::text)::uuid as organization_id
    from generate_series(${from}::int, ${to}::int) n`)
  await tx.run(sql`
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, feed_seq)
    select organization_id, id, 'contract.created', ${at}, ${at}, false,
      jsonb_build_array(jsonb_build_object('contract_id', id, 'title', repeat('x', 300))), n from made`)
  await tx.run(sql`
    insert into event_resources (organization_id, event_id, resource_id) select organization_id, id, id from made`)
  await tx.run(sql`
    insert into event_bodies (organization_id, event_id, rendering, body, sha256)
    select organization_id, id, 'v2', convert_to(repeat('x', 600), 'UTF8'), sha256('x') from made`)
  await tx.run(sql`
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, origin, status, schedule_id, series, attempt_no, created_at, updated_at, completed_at)
    select organization_id, id, id, organization_id, 'contract.created', false, 'v2', 'event',
      'succeeded', 0, 1, 0, ${at}, ${at}, ${at} from made`)
  await tx.run(sql`
    insert into webhook_attempts (organization_id, event_id, id, delivery_id, subscription_id, series, attempt_no,
      counted, started_at, url, request_headers, key_labels, outcome, decision, worker, applied)
    select organization_id, id, id, id, organization_id, 1, 0, true, ${at}, 'https://receiver.example.org/hook',
      '{}', '{}', 'succeeded', 'done', 'bench', true from made`)
}

async function vacuum(database: Database): Promise<void> {
  const client = await database.connect()
  try {
    await client.query('vacuum (analyze) events, event_resources, event_bodies, webhook_deliveries, webhook_attempts')
  } finally {
    client.release()
  }
}

/** Opens the partitioned table again and again, as every request about deliveries does. */
function watchReader(database: Database): { stop(): Promise<number> } {
  let longest_ms = 0
  let is_stopped = false
  const watch = async () => {
    while (!is_stopped) {
      const began_at_ms = performance.now()
      await database.row(sql`select from webhook_deliveries limit 0`)
      longest_ms = Math.max(longest_ms, performance.now() - began_at_ms)
    }
    return longest_ms
  }
  const watching = watch()
  return {
    stop() {
      is_stopped = true
      return watching
    },
  }
}

/** Bytes of write-ahead log and rows deleted so far. */
async function usage(database: Database): Promise<{ log_bytes: number; deleted: number }> {
  const row = await database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`select pg_stat_force_next_flush()`)
    return tx.row<{ log_bytes: number; deleted: number }>(sql`
      select (pg_current_wal_lsn() - '0/0')::float8 as log_bytes,
        (select coalesce(sum(n_tup_del), 0)::float8 from pg_stat_user_tables
         where relname ~ '^(events|event_|webhook_)') as deleted`)
  })
  return row ?? { log_bytes: 0, deleted: 0 }
}

async function countEvents(database: Database): Promise<number> {
  const row = await database.row<{ events: number }>(sql`select count(*)::int as events from events`)
  return row?.events ?? 0
}
