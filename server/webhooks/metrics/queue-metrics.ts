import { Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import type { Database } from '#db/database.ts'
import { readFeedLag, readQueueDepth } from './queue.store.ts'

/** However often it is scraped, the database is asked no more often than this. */
const read_again_ms = 5_000

let database: Database | null = null
let read_at_ms = Number.NEGATIVE_INFINITY

const depth = new Gauge({
  name: 'webhook_queue_depth',
  help: 'Deliveries by state, counted up to 100,000.',
  labelNames: ['state'],
  registers: [metrics],
  collect: readGauges,
})
const heldInternal = new Gauge({
  name: 'webhook_held_internal',
  help: 'Deliveries held for faults of our own: a person has to look.',
  registers: [metrics],
})

const feedLag = new Gauge({
  name: 'webhook_feed_lag_seconds',
  help: 'How long the oldest event waits for its place in the feed.',
  registers: [metrics],
})

/** From now on the gauges tell of this database; null when its workers have stopped. */
export function watchQueue(watched: Database | null): void {
  database = watched
  read_at_ms = Number.NEGATIVE_INFINITY
  depth.reset()
}

async function readGauges(): Promise<void> {
  if (!database || performance.now() - read_at_ms < read_again_ms) return
  read_at_ms = performance.now()
  try {
    const { lag_s, depth_now } = await database.transaction({ role: 'engine', read_only: true }, async (tx) => ({
      depth_now: await readQueueDepth(tx),
      lag_s: await readFeedLag(tx),
    }))
    const { held_internal, ...states } = depth_now
    for (const [state, deliveries] of Object.entries(states)) depth.set({ state }, deliveries)
    heldInternal.set(held_internal)
    feedLag.set(lag_s)
  } catch {
    // A gap in the graph, not an old number; readiness says that the database is away.
    depth.reset()
  }
}
