import { events as defined } from '#boot/operations.ts'
import { sql } from '#db/database.ts'
import { inspectWebhooks } from '#operator/inspection.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { startChild } from './support/child.ts'
import { subscriptions_each } from './support/day.ts'
import { type Day, playDay } from './support/day-play.ts'
import type { DayReceiversReady } from './support/day-receivers.ts'
import type { DayPlan } from './support/day-source.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import type { Installation } from './support/installation.ts'
import { fillOrganizations } from './support/many-organizations.ts'
import { createOrganization } from './support/organization.ts'
import { percentile, rounded } from './support/statistics.ts'

const receiver_ports = 1_000
const minutes_of_day = 1_440
const retry_minutes = [1, 2, 4, 8, 16, 32, 60, 120, 240, 960]
const delay_ms_min = 100

/** A day of many organizations in compressed time: what a machine carries, and what it runs out of first. */
export const scale: Benchmark = {
  name: 'scale',
  summary: 'a day of --deliveries events of organizations with --rows subscriptions in --minutes',
  async run({ rows, deliveries: events, minutes }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(startChild('day-receivers.ts', [String(receiver_ports)]))
    const { ports, ca } = await receivers.first<DayReceiversReady>()
    const { installation } = resources.use(
      await installWithReceivers({ urls: [], ca }, 0, {
        ...{ STINT_ROLES: 'worker', WEBHOOK_TIMEOUT_MS: '1000' },
        WEBHOOK_RETRY_SCHEDULE: compressed(minutes).join(),
      }),
    )
    const types = defined.map(({ type }) => type)
    const organizations = Math.ceil(rows / subscriptions_each)
    const began_ms = performance.now()
    const organization_ids = await fillOrganizations(installation, organizations, { types, ports })
    const filled = { seconds: (performance.now() - began_ms) / 1_000, ...(await sizesOf(installation)) }
    console.log('filled', JSON.stringify(filled))
    const source = resources.use(startChild('day-source.ts'))
    const { token } = await createOrganization(installation, 'Driver')
    const { connection, folder, service } = installation
    const database_url = (connection.connectionString as string | undefined) ?? null
    const plan: DayPlan = {
      ...{ connection, folder, origin: service.origin, database_url, token },
      ...{ organization_ids, types, events, day_ms: minutes * 60_000 },
    }
    source.tell(plan)
    await source.first()
    const day = await playDay({ installation, source, receivers, minutes })
    return {
      method: `${organizations} organizations with ${subscriptions_each} subscriptions each, filled by SQL in ${Math.round(filled.seconds)} s; ${events} events of a day in ${minutes} minutes (${rounded(minutes_of_day / minutes)} times as fast, retry delays too; a receiver has 1 s), over organizations by Zipf's law, over ${types.length} event types evenly, one type for each subscription, over the day from 0.2 to 1.8 times the mean; one process commits them (80 % of its transactions have one event, 15 % five, 5 % twenty), one worker process delivers over HTTPS to ${receiver_ports} local origins that answer after 20 ms (of 1,000 subscriptions 5 after 300 ms, 5 never, 20 with 500, 10 reset, 10 with 503 every second time)`,
      storage: installation.server.description,
      rows: [...hourRows(day), ...decileRows(day, organizations), ...(await factRows(installation, day, filled))],
      outcomes: [],
    }
  },
}

/** The default schedule, as fast as the day passes. */
function compressed(minutes: number): string[] {
  const delays_ms = retry_minutes.map((delay) => (delay * 60_000 * minutes) / minutes_of_day)
  return delays_ms.map((delay_ms) => `${Math.max(delay_ms_min, Math.round(delay_ms))}ms`)
}

function hourRows({ hours }: Day): Result['rows'] {
  return hours.map(({ events_per_s, requests_per_s, p50_ms, p99_ms, queue, load }, hour) => ({
    part: `hour ${hour}`,
    'events/s': rounded(events_per_s),
    'requests/s': rounded(requests_per_s),
    'p50 ms': rounded(p50_ms),
    'p99 ms': rounded(p99_ms),
    due: queue.due,
    'waiting for a retry': queue.waiting,
    held: queue.held,
    ...Object.fromEntries(Object.entries(load).map(([part, share]) => [`${part} CPU`, rounded(share)])),
  }))
}

/** The tenth of the organizations with most events first. */
function decileRows({ arrived }: Day, organizations: number): Result['rows'] {
  const deciles = Map.groupBy(arrived, ({ rank }) => Math.floor((10 * rank) / organizations))
  return Array.from({ length: 10 }, (_, decile) => {
    const ms = (deciles.get(decile) ?? []).map((one) => one.ms)
    return {
      part: `organizations ${(decile * organizations) / 10 + 1} to ${((decile + 1) * organizations) / 10}`,
      arrivals: ms.length,
      'p50 ms': rounded(percentile(ms, 50)),
      'p95 ms': rounded(percentile(ms, 95)),
      'p99 ms': rounded(percentile(ms, 99)),
      'longest ms': rounded(ms.reduce((most, one) => Math.max(most, one), 0)),
    }
  })
}

/** Facts of the whole day, each a row. */
async function factRows(installation: Installation, day: Day, before: Sizes): Promise<Result['rows']> {
  const { database } = installation
  const statuses = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.rows<{ status: string; rows: number }>(
      sql`select status, count(*)::int as rows from all_webhook_deliveries group by status order by status`,
    ),
  )
  const counted = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.row<{ attempts: number; disabled: number }>(sql`
      select (select count(*)::int from webhook_attempts) as attempts,
        (select count(*)::int from webhook_subscriptions where status = 'disabled') as disabled`),
  )
  const made = statuses.reduce((sum, { rows }) => sum + rows, 0)
  const began_ms = performance.now()
  const findings = await inspectWebhooks(database, { hours: 24, concurrent_s: 60, rows_max: 10_000 })
  const inspected_ms = performance.now() - began_ms
  const after = await sizesOf(installation)
  const facts: Record<string, string | number> = {
    'events committed': day.events,
    ...costs(day),
    'transactions that failed': day.failures,
    'most events that the source was late with': day.behind_max,
    'deliveries that they had to make': day.deliveries,
    'deliveries on record': made,
    ...Object.fromEntries(statuses.map(({ status, rows }) => [`… ${status}`, rows])),
    'attempts on record': counted?.attempts ?? 0,
    'subscriptions disabled': counted?.disabled ?? 0,
    'seconds until nothing was due': rounded(day.drained_s),
    'promises broken, by the hourly inspection': findings.reduce((sum, { count }) => sum + count, 0),
    'seconds of that inspection': rounded(inspected_ms / 1_000),
    'database GiB before': rounded(before.bytes / 2 ** 30),
    'database GiB after': rounded(after.bytes / 2 ** 30),
    'bytes for an event and its deliveries': Math.round((after.bytes - before.bytes) / day.events),
    'bytes of the log for them': Math.round((after.log_bytes - before.log_bytes) / day.events),
    ...Object.fromEntries(Object.entries(day.memory_mib).map(([part, mib]) => [`${part} MiB`, Math.round(mib)])),
    ...Object.fromEntries(after.tables.map(({ table, mib }) => [`${table} MiB`, mib])),
  }
  return Object.entries(facts).map(([part, value]) => ({ part, value }))
}

/** CPU of the whole day, after which nothing was left to do, by the things that it was spent on. */
function costs({ cpu_us, events, requests }: Day): Record<string, number> {
  return {
    'CPU of the source for an event, µs': Math.round(cpu_us.source / events),
    'CPU of the worker for an attempt, µs': Math.round(cpu_us.worker / requests),
    'CPU of the database for an event and its attempts, µs': Math.round(cpu_us.database / events),
    'CPU of the receivers for an attempt, µs': Math.round(cpu_us.receivers / requests),
  }
}

type Sizes = Awaited<ReturnType<typeof sizesOf>>

/** Bytes of the database, and its largest tables with their indexes and partitions. */
async function sizesOf({ database }: Installation) {
  const client = await database.connect()
  const size = await client.query<{ bytes: string; log_bytes: string }>(
    `select pg_database_size(current_database()) as bytes, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as log_bytes`,
  )
  const tables = await client.query<{ table: string; mib: number }>(
    `select regexp_replace(c.relname, '_(default|[0-9]{8})$', '') as table, round(sum(pg_total_relation_size(c.oid)) / 1048576)::int as mib
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1 order by 2 desc limit 12`,
  )
  client.release()
  const [{ bytes, log_bytes } = { bytes: 0, log_bytes: 0 }] = size.rows
  return { bytes: Number(bytes), log_bytes: Number(log_bytes), tables: tables.rows }
}
