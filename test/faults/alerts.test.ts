import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { raw, sql } from '#db/database.ts'
import { createCertificateAuthority, day_ms, issueServerCertificate } from '#surfaces/https/certificate-authority.ts'
import { certificateNames } from '#surfaces/https/tls-material.ts'
import { clientFor, freePort, startServiceProcess, usedDataFolder } from '#test/process.ts'
import { answer, hang } from '#test/receiver.ts'
import { type FaultBench, type FaultyProcess, startFaultBench } from './support/fault-bench.ts'
import { contract } from './support/load.ts'
import { has_prometheus, shippedRules, startPrometheus } from './support/prometheus.ts'
import { may_mount, mountSmallDisk } from './support/small-disk.ts'

const kills = Number(process.env.KILLS ?? 0)
const skip =
  (kills === 0 && 'a fault run: npm run faults') ||
  (!has_prometheus && 'Prometheus is not installed (Debian: apt-get install prometheus)') ||
  (!may_mount && 'no disk can be mounted here')

/** Alerts by the fault that a test causes; the rules are evaluated by Prometheus itself. */
const faults: Record<string, { fires: string[]; cause: (t: TestContext, fires: string[]) => Promise<void> }> = {
  'a certificate that has expired and is for another name': {
    fires: ['CertificateExpiresSoon', 'CertificateExpired', 'CertificateForAnotherName'],
    cause: serveExpiredCertificate,
  },
  'a full disk': { fires: ['DataFolderNearlyFull', 'DatabaseDiskFull', 'ServerErrors'], cause: fillDisk },
  'a database that stands still': { fires: ['DatabaseConnectionsExhausted'], cause: stopDatabase },
  'workers that are not there, and then hang': {
    fires: ['ProcessDown', 'WebhookWorkersGone', 'AuditSealingLate', 'WebhookLeasesExpire'],
    cause: loseWorkers,
  },
  'receivers that nobody reaches, rows changed by hand, and a session left open': {
    fires: [
      ...['WebhookEgressSuspect', 'WebhookSubscriptionsDisabledByFailures', 'WebhookSchemaMismatch'],
      ...['WebhookPromiseBroken', 'WebhookFeedLags', 'WebhookDeliveriesLate'],
    ],
    cause: meddle,
  },
  'a clock put ahead, a damaged signing key, and partitions that cannot be made': {
    fires: [
      ...['WebhookClockJumped', 'WebhookClockDiffers', 'WebhookDeliveriesExpire', 'WebhookHeldForInternalFaults'],
      ...['WebhookRetentionPostponed', 'WebhookPartitionsMissing', 'WebhookRowsOutsidePartitions'],
    ],
    cause: putClockAhead,
  },
}

test('every alert has a fault that fires it', async () => {
  const shipped = (await shippedRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  const caused = Object.values(faults).flatMap(({ fires }) => fires)
  assert.deepEqual(caused.toSorted(), shipped.toSorted())
})

describe('a fault fires its alerts', { skip, concurrency: 2 }, () => {
  for (const [name, { fires, cause }] of Object.entries(faults))
    test(`${name}: ${fires.join(', ')}`, (t) => cause(t, fires))
})

async function serveExpiredCertificate(t: TestContext, fires: string[]): Promise<void> {
  const data_dir = await usedDataFolder(t)
  const management_port = await freePort()
  const [STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE] = [join(data_dir, 'cert.pem'), join(data_dir, 'key.pem')]
  const issue = async (host: string, issued_at: number) => {
    const pair = await issueServerCertificate(
      await createCertificateAuthority(issued_at),
      certificateNames([host]),
      issued_at,
    )
    await writeFile(STINT_TLS_KEY_FILE, pair.key, { mode: 0o600 })
    await writeFile(STINT_TLS_CERT_FILE, pair.cert)
  }
  await issue('old.example', Date.now() - 1_000 * day_ms)
  const service = await startServiceProcess({
    ...{ data_dir, port: await freePort() },
    environment: {
      ...{ STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE, STINT_BASE_URL: 'https://stint.example' },
      STINT_MANAGEMENT_PORT: String(management_port),
    },
  })
  t.after(() => service.kill('SIGTERM'))
  const prometheus = await startPrometheus(t, [management_port])
  await prometheus.untilFired(...fires)
  await issue('stint.example', Date.now())
  await prometheus.untilEnded(...fires)
}

async function fillDisk(t: TestContext, fires: string[]): Promise<void> {
  const { data_dir, namespace, fill } = await mountSmallDisk(t)
  const management_port = await freePort()
  const service = await startServiceProcess({
    ...{ data_dir, port: await freePort(), demo: true, namespace },
    environment: { STINT_RATE_LIMIT_REQUESTS: '1000000', STINT_MANAGEMENT_PORT: String(management_port) },
  })
  t.after(() => service.kill('SIGTERM'))
  const client = await clientFor(namespace.data_dir, service.token ?? '')
  t.after(() => client.close())
  const prometheus = await startPrometheus(t, [management_port])
  await prometheus.untilEvaluated()
  await fill()
  await whileCalling([client, client], `${service.origin}/rest/v2`, () => prometheus.untilFired(...fires))
}

async function stopDatabase(t: TestContext, fires: string[]): Promise<void> {
  const bench = await startFaultBench(t, { workers: 0, first: 'api,worker', is_cut: false })
  const prometheus = await startPrometheus(t, [portOf(bench.api)])
  await prometheus.untilEvaluated()
  assert.deepEqual([...(await prometheus.firing())], [], 'a service that lacks nothing')
  // More than there are connections: calls of one token share a look at it.
  const names = Array.from({ length: 10 }, (_, place) => `caller-${place}`)
  const clients = await Promise.all(names.map(bench.openOrganization))
  await bench.server.signal('SIGSTOP')
  try {
    await whileCalling(clients, bench.base, () => prometheus.untilFired(...fires))
  } finally {
    await bench.server.signal('SIGCONT')
  }
  await prometheus.untilEnded(...fires)
}

async function loseWorkers(t: TestContext, fires: string[]): Promise<void> {
  // An organization whose receivers never answered has a quarter of the slots, and the rule asks for 60 leases.
  const settings = { WEBHOOK_MAX_IN_FLIGHT: '2', WEBHOOK_CONCURRENCY: '512' }
  const bench = await startFaultBench(t, { workers: 2, is_cut: false, settings })
  const [first, second] = bench.workers as [FaultyProcess, FaultyProcess]
  await Promise.all([first.kill('SIGKILL'), second.kill('SIGKILL')])
  const prometheus = await startPrometheus(t, [bench.api, first, second].map(portOf))
  const { receiver } = await bench.subscribe({ behaviour: hang })
  const subscriptions = 90
  for (let made = 1; made < subscriptions; made += 1) await subscribe(bench, receiver.url)
  const of_absence = ['WebhookWorkersGone', 'AuditSealingLate']
  await prometheus.untilFired('ProcessDown', ...of_absence)
  await Promise.all([first.start(), second.start()])
  second.signal('SIGSTOP')
  await createContract(bench, 'leased')
  await receiver.waitFor(subscriptions)
  first.signal('SIGSTOP')
  // The leases of what it was sending end after a minute, and the other repeats it.
  second.signal('SIGCONT')
  try {
    await prometheus.untilFired(...fires.filter((name) => !of_absence.includes(name)))
  } finally {
    first.signal('SIGCONT')
  }
}

async function meddle(t: TestContext, fires: string[]): Promise<void> {
  const settings = { WEBHOOK_RETRY_SCHEDULE: '100ms', WEBHOOK_DISABLE_AFTER: '2', WEBHOOK_WARN_AFTER: '1' }
  const bench = await startFaultBench(t, { workers: 0, first: 'api,worker', is_cut: false, settings })
  const prometheus = await startPrometheus(t, [portOf(bench.api)])
  await prometheus.untilEvaluated()
  const fired = prometheus.untilFired(...fires)
  // Nobody listens there, at as many hosts as it takes to suspect the network here.
  for (let made = 0; made < 24; made += 1) await subscribe(bench, `https://localhost:${await freePort()}/hook`)
  const worker_id = await createContract(bench, 'unreachable')
  await prometheus.untilFired('WebhookEgressSuspect', 'WebhookSubscriptionsDisabledByFailures')
  const { receiver, webhook_id } = await bench.subscribe()
  await createContract(bench, 'delivered')
  await receiver.waitFor(1)
  await byHand(bench, sql`delete from events where event_type = 'contract.created'`)
  await byHand(bench, sql`update people set country = 'Germany' where id = ${worker_id}`)
  const changed = await bench.client.call('PATCH', `${bench.base}/people/${worker_id}`, { job_title: 'Engineer' })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const session = await openSession(t, bench)
  // The rule is about receivers that are quick, and this one is as soon as its first answer is recorded.
  const lane = 'select is_quick from webhook_lanes where subscription_id = $1'
  const until_ms = performance.now() + 30_000
  while (!(await session.query(lane, [webhook_id])).rows[0]?.is_quick)
    assert.ok(performance.now() < until_ms, 'the first answer is not recorded')
  await session.query('begin')
  await session.query('select pg_advisory_xact_lock(7316413)')
  await session.query('select from webhook_lanes where subscription_id = $1 for update', [webhook_id])
  await createContract(bench, 'waiting')
  await fired
}

async function putClockAhead(t: TestContext, fires: string[]): Promise<void> {
  const settings = { STINT_RETENTION_DELIVERIES: '7' }
  const bench = await startFaultBench(t, { workers: 0, first: 'api,worker', is_cut: false, settings })
  const prometheus = await startPrometheus(t, [portOf(bench.api)])
  await prometheus.untilEvaluated()
  const fired = prometheus.untilFired(...fires)
  const held = await bench.subscribe()
  const damaged = await bench.subscribe()
  await bench.client.call('PATCH', `${bench.base}/webhooks/${held.webhook_id}`, { status: 'disabled' })
  await byHand(
    bench,
    sql`update webhook_signing_keys set sealed = overlay(sealed placing '\\x00' from octet_length(sealed))
        where subscription_id = ${damaged.webhook_id}`,
  )
  await createContract(bench, 'never delivered')
  // The third fault of our own and each one after it waits longer, up to five minutes: the clock passes over that.
  for (let minutes = 6; !(await prometheus.firing()).has('WebhookHeldForInternalFaults'); minutes += 6) {
    await setClock(bench, `${minutes} minutes`)
    await delay(1_000)
  }
  // Deliveries that are tried again and again, and not sent yet when their week is over.
  await bench.subscribe({ behaviour: answer({ status: 500 }) })
  await createContract(bench, 'never received')
  await setClock(bench, '8 days')
  await prometheus.untilFired('WebhookDeliveriesExpire')
  const restart = async () => {
    await bench.api.kill('SIGKILL')
    await bench.api.start()
  }
  // The week of these deliveries is over for long, and new weeks have to be made beside a session left open.
  await setClock(bench, '40 days')
  const session = await openSession(t, bench)
  await session.query('begin; lock table events in access share mode')
  await restart()
  await prometheus.untilFired('WebhookRetentionPostponed', 'WebhookPartitionsMissing')
  await session.query('rollback')
  const [running] = await byHand<{ week: string }>(
    bench,
    sql`select to_char(date_trunc('week', now() at time zone 'UTC'), 'YYYYMMDD') as week`,
  )
  const tables = ['webhook_attempts', 'webhook_deliveries', 'event_bodies', 'event_resources', 'events']
  await byHand(bench, sql`drop table ${raw(tables.map((table) => `${table}_${running?.week}`).join(', '))} cascade`)
  await createContract(bench, 'outside')
  await restart()
  await fired
}

const portOf = ({ ready_url }: FaultyProcess) => Number(new URL(ready_url).port)

async function subscribe({ client, base }: FaultBench, url: string): Promise<void> {
  const { status, body } = await client.call('POST', `${base}/webhooks`, { url, events: ['contract.created'] })
  assert.equal(status, 201, JSON.stringify(body))
}

/** Answers the id of the worker. */
async function createContract({ client, base }: FaultBench, key: string): Promise<string> {
  const { status, body } = await client.call('POST', `${base}/contracts`, contract(key.replaceAll(' ', '-')))
  assert.equal(status, 201, JSON.stringify(body))
  return body.worker_id
}

/** Calls without pause, whatever is answered, until the work is done. */
async function whileCalling(
  clients: readonly FaultBench['client'][],
  base: string,
  work: () => Promise<void>,
): Promise<void> {
  let is_over = false
  const call = async (client: FaultBench['client'], caller: number) => {
    for (let calls = 0; !is_over; calls += 1) {
      await client.call('POST', `${base}/contracts`, contract(`called-${caller}-${calls}`)).catch(() => null)
      await delay(20)
    }
  }
  const calling = Promise.all(clients.map(call))
  await work().finally(() => {
    is_over = true
  })
  await calling
}

/** Changes rows as somebody does who thinks to know better than the service. */
async function byHand<Row extends object>({ database }: FaultBench, statement: ReturnType<typeof sql>): Promise<Row[]> {
  return database.transaction({ role: 'owner' }, (tx) => tx.rows<Row>(statement))
}

/** The clock of the database, as the service reads it, ahead of what it is. */
async function setClock(bench: FaultBench, ahead: string): Promise<void> {
  await byHand(
    bench,
    sql`create or replace function app_now() returns timestamptz language sql stable parallel safe
        return statement_timestamp() + interval '${raw(ahead)}'`,
  )
}

/** A session that somebody forgot, until the test ends. */
async function openSession(t: TestContext, { server }: FaultBench): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: server.url })
  session.on('error', () => undefined)
  await session.connect()
  t.after(() => session.end().catch(() => undefined))
  return session
}
