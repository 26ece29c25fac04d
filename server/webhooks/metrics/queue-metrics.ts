import { Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import type { Database } from '#db/database.ts'
import { readQueueDepth } from './queue.store.ts'

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
    const { held_internal, ...states } = await database.transaction({ role: 'engine', read_only: true }, readQueueDepth)
    for (const [state, deliveries] of Object.entries(states)) depth.set({ state }, deliveries)
    heldInternal.set(held_internal)
  } catch {
    // A gap in the graph, not an old number; readiness says that the database is away.
    depth.reset()
  }
}
