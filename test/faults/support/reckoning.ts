import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '#db/database.ts'
import { inspectWebhooks } from '#operator/inspection.ts'
import type { Receiver } from '#test/receiver.ts'

const drain_limit_ms = 180_000

interface Reader {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  call(method: 'GET', url: string): Promise<{ body: any }>
}

/** Deliveries that were being sent at a kill come back when their lease has run out. */
export async function untilDelivered(client: Reader, base: string, webhook_id: string): Promise<void> {
  const until = Date.now() + drain_limit_ms
  const open = `${base}/webhooks/${webhook_id}/deliveries?statuses=pending,sending,held,failed&limit=1`
  for (;;) {
    const { body } = await client.call('GET', open).catch(() => ({ body: {} }))
    if (body.total_count === 0) return
    assert.ok(Date.now() < until, `${body.total_count} deliveries are still open after ${drain_limit_ms} ms`)
    await delay(250)
  }
}

export interface Reckoning {
  /** Requests that the receiver counted. */
  requests: number
  /** Requests beyond the first of their event. */
  repeated: number
  /** Requests whose attempt a crash of the database took from the record. */
  forgotten: number
  /** Attempts on record that ended in something else than an answer 2xx, by class, and those that came too late to count. */
  by_class: Record<string, number>
}

/**
 * Holds what the receiver counted against what exists and against what is on record. Nothing is lost, nothing invented,
 * each contract has one event, and each request has an attempt on record: so every repetition has its reason there. A
 * kept connection that is closed before any byte of an answer is replaced once within the same attempt. A crash
 * of the database forgets what the engine committed in its last moments (attempts only, never an event): `crashed` tells
 * whether a request that arrived at this time may be one of those.
 */
export async function reckon(
  database: Database,
  webhook_id: string,
  receiver: Receiver,
  existing: ReadonlySet<string>,
  {
    closes_early = false,
    crashed = () => false,
  }: { closes_early?: boolean; crashed?: (at_ms: number) => boolean } = {},
): Promise<Reckoning> {
  const requests = new Map<string, number>()
  const forgettable = new Map<string, number>()
  const events_of = new Map<string, Set<string>>()
  for (const { body, arrived_at_ms } of receiver.requests) {
    const { data } = JSON.parse(body.toString())
    const [id, event_id] = [data.resource[0].contract_id, data.meta.event_id]
    requests.set(event_id, (requests.get(event_id) ?? 0) + 1)
    if (crashed(arrived_at_ms)) forgettable.set(event_id, (forgettable.get(event_id) ?? 0) + 1)
    events_of.set(id, (events_of.get(id) ?? new Set()).add(event_id))
  }
  const missing = [...existing].filter((id) => !events_of.has(id))
  const invented = [...events_of.keys()].filter((id) => !existing.has(id))
  assert.deepEqual(missing, [], 'every contract has its event delivered')
  assert.deepEqual(invented, [], 'no event was delivered whose contract does not exist')
  for (const [id, events] of events_of) assert.equal(events.size, 1, `contract ${id} has one event`)

  const attempts = await attemptsOf(database, webhook_id)
  const recorded = Map.groupBy(attempts, ({ event_id }) => event_id)
  const requests_per_attempt_max = closes_early ? 2 : 1
  let forgotten = 0
  for (const [event_id, count] of requests) {
    const beyond = Math.max(0, count - requests_per_attempt_max * (recorded.get(event_id)?.length ?? 0))
    const why = `${beyond} of ${count} requests of event ${event_id} have no attempt on record`
    assert.ok(beyond <= (forgettable.get(event_id) ?? 0), why)
    forgotten += beyond
  }
  const broken = (await inspectWebhooks(database, { hours: 24, concurrent_s: 0, rows_max: null })).filter(
    ({ count }) => count > 0,
  )
  assert.deepEqual(broken, [], 'every invariant holds')
  const by_class: Record<string, number> = {}
  for (const { error_class, applied } of attempts) {
    const name = applied ? error_class : 'too late'
    if (name) by_class[name] = (by_class[name] ?? 0) + 1
  }
  return { requests: receiver.requests.length, repeated: receiver.requests.length - requests.size, forgotten, by_class }
}

function attemptsOf(database: Database, webhook_id: string) {
  return database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.rows<{ event_id: string; error_class: string | null; applied: boolean }>(sql`
      select event_id, error_class, applied from webhook_attempts where subscription_id = ${webhook_id}`),
  )
}
