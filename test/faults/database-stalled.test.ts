import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type FaultBench, startFaultBench } from './support/fault-bench.ts'
import { writeContracts } from './support/load.ts'

const skip = Number(process.env.KILLS ?? 0) === 0 && 'a fault run: npm run faults'
/** Feed, deliveries and readiness are back within this. */
const back_max_ms = 2_000
/** Readiness fails after 2 s without an answer; what is left is for asking it, on a busy machine. */
const noticed_max_ms = 4_000
/** An answer of before the fault is told within this. */
const told_max_ms = 500
const run_age_max_ms = 10_000
const limit_ms = 30_000

interface Look {
  asked_at_ms: number
  answered_at_ms: number
  checks: Record<string, string | null>
  is_ready: boolean
}

/** The answers of readiness, and all that feed and receiver are given, watched until the end of the test. */
async function watch({ api, client, base }: FaultBench, signal: AbortSignal) {
  const looks: Look[] = []
  const fed: number[] = []
  const again = async (work: () => Promise<void>) => {
    while (!signal.aborted) {
      await work()
      await delay(50)
    }
  }
  const look = async () => {
    const asked_at_ms = performance.now()
    const answer = await fetch(api.ready_url)
    const { checks } = (await answer.json()) as Look
    looks.push({ asked_at_ms, answered_at_ms: performance.now(), checks, is_ready: answer.ok })
  }
  let { cursor } = (await client.call('GET', `${base}/events?start=latest`)).body
  const follow = async () => {
    const { status, body } = await client.call('GET', `${base}/events?limit=100&cursor=${cursor}`)
    if (status !== 200) return
    cursor = body.cursor
    if (body.data.length > 0) fed.push(performance.now())
  }
  return { looks, fed, ended: Promise.all([again(look), again(follow)]) }
}

interface Watched {
  bench: FaultBench
  looks: Look[]
  /** When the feed had something new. */
  fed: number[]
  /** When a delivery arrived. */
  delivered: () => number[]
}

/** Runs while contracts are made without end, and everything is watched. */
async function watched(t: Parameters<typeof startFaultBench>[0], run: (all: Watched) => Promise<object>) {
  const bench = await startFaultBench(t, { workers: 0, first: 'api,worker', is_cut: false })
  const { receiver } = await bench.subscribe()
  const over = new AbortController()
  const { looks, fed, ended } = await watch(bench, over.signal)
  const load = writeContracts(bench.client, bench.base, 100)
  const delivered = () => receiver.requests.map(({ arrived_at_ms }) => arrived_at_ms)
  try {
    await load.progress(20)
    t.diagnostic(JSON.stringify(await run({ bench, looks, fed, delivered })))
  } finally {
    over.abort()
    await Promise.all([load.stop(), ended])
  }
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const end = performance.now() + limit_ms
  while (!isTrue()) {
    assert.ok(performance.now() < end, `${what} within ${limit_ms} ms`)
    await delay(20)
  }
}

/** Waits until feed, deliveries and readiness are back; answers how long after the end of the fault each of them was. */
async function back({ looks, fed, delivered }: Watched, ended_at_ms: number) {
  const greens = () =>
    looks.flatMap((look) => (look.is_ready && look.asked_at_ms >= ended_at_ms ? look.answered_at_ms : []))
  const after = (times: readonly number[]) => (times.find((time) => time >= ended_at_ms) ?? Infinity) - ended_at_ms
  const taken = () => ({ fed_ms: after(fed), delivered_ms: after(delivered()), ready_ms: after(greens()) })
  await until(() => Math.max(...Object.values(taken())) < Infinity, 'all is back')
  const found = taken()
  assert.ok(Math.max(...Object.values(found)) <= back_max_ms, JSON.stringify(found))
  return found
}

async function stall(all: Watched, stall_ms: number) {
  const { server } = all.bench
  await server.signal('SIGSTOP')
  const stopped_at_ms = performance.now()
  await delay(stall_ms)
  const to_ms = performance.now()
  await server.signal('SIGCONT')
  const found = await back(all, performance.now())
  const meanwhile = all.looks.filter(
    ({ answered_at_ms: at_ms }) => at_ms > stopped_at_ms + told_max_ms && at_ms < to_ms,
  )
  assert.ok(
    meanwhile.every(({ is_ready }) => !is_ready),
    'not ready while it lasts',
  )
  const red_ms = (meanwhile[0]?.answered_at_ms ?? Infinity) - stopped_at_ms
  if (stall_ms > noticed_max_ms) assert.ok(red_ms <= noticed_max_ms, `not ready after ${red_ms} ms`)
  return { ...found, red_ms }
}

for (const stall_s of [1, 3, 10]) {
  test(
    `a database that stands still for ${stall_s} s: feed and deliveries are back within 2 s of its end, and readiness says so`,
    {
      skip,
    },
    (t) => watched(t, (all) => stall(all, stall_s * 1_000)),
  )
}

async function hold(all: Watched, lock: string) {
  const { bench, looks, delivered } = all
  const holder = new pg.Client({ connectionString: bench.server.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query(lock)
  const from_ms = performance.now()
  const red = () => looks.find(({ is_ready }) => !is_ready)
  await until(() => red() !== undefined, 'not ready')
  await holder.end()
  const to_ms = performance.now()
  const found = await back(all, to_ms)
  assert.match(red()?.checks.webhooks ?? '', /^the last numbering of the feed ended \d+ ms ago$/)
  const red_ms = (red()?.answered_at_ms ?? Infinity) - from_ms
  assert.ok(Math.abs(red_ms - run_age_max_ms) <= back_max_ms, `not ready after ${red_ms} ms`)
  const meanwhile = delivered().filter((time) => time > from_ms && time < to_ms)
  const gap_ms = Math.max(...meanwhile.map((time, place) => time - (meanwhile[place - 1] ?? from_ms)))
  assert.ok(gap_ms <= back_max_ms, `no delivery for ${gap_ms} ms`)
  return { ...found, red_ms, gap_ms }
}

const locks: Record<string, string> = {
  'the row of the last number': 'select from event_feed_head for update',
  'the lock of the numbering': 'select pg_advisory_xact_lock(7316413)',
}
for (const [what, lock] of Object.entries(locks)) {
  test(
    `while somebody holds ${what} deliveries go on, and readiness fails after 10 s; then the feed is back within 2 s`,
    {
      skip,
    },
    (t) => watched(t, (all) => hold(all, lock)),
  )
}
