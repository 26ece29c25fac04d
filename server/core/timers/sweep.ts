import { createBackgroundLoop } from '../background-loop.ts'
import type { Runtime } from '../invoke.ts'
import type { Registry } from '../registry.ts'
import { nextDueInMs, organizationsWithDueTimers } from './due-timer.store.ts'
import { fireNext, type TimerKinds } from './fire-timer.ts'
import type { TimerDefinition } from './timer.ts'

export interface Sweep {
  /** Fires what is due in every organization, cascades included, until nothing is left; answers how many fired. */
  runDue(): Promise<number>
  /** Sweeps whenever a timer is due, until stopped. */
  start(): void
  /** Ends after the timer that is being fired. */
  stop(): Promise<void>
}

const organizations_per_round_max = 100

/** Organizations that fire at the same moment; each takes one database connection of the pool. */
const organizations_at_once_max = 2

/** Then the next organization has its turn, so that one with very many due timers does not keep the others waiting. */
const timers_per_turn_max = 100

const rounds_max = 10_000

/** The wait between two sweeps: never a busy loop, and a timer set meanwhile is at most this late. */
const wait_min_ms = 250
const wait_max_ms = 15_000

interface Tally {
  fired: number
  failed: number
}

/** Makes the one sweep of a process; any number of processes may sweep at once (domain rules 3.9). */
export function createSweep(runtime: Runtime, definitions: readonly TimerDefinition[]): Sweep {
  const kinds = register(runtime.registry, definitions)
  const runDue = async () => {
    const started_at_ms = performance.now()
    const tally = { fired: 0, failed: 0 }
    for (let rounds = 0; rounds < rounds_max && !loop.signal.aborted; rounds += 1) {
      if (!(await sweepRound(runtime, kinds, tally, loop.signal))) break
    }
    if (tally.fired + tally.failed > 0) {
      runtime.log.info({ ...tally, duration_ms: Math.round(performance.now() - started_at_ms) }, 'sweep')
    }
    return tally.fired
  }

  const untilNext = async () => {
    const wait_ms = await runDue()
      .then(() => runtime.database.transaction({ role: 'engine' }, (tx) => nextDueInMs(tx, [...kinds.keys()])))
      .catch((error: unknown) => {
        // The database is away: nothing is lost, the timers are still due when it is back.
        runtime.log.error({ err: error }, 'sweep_failed')
        return null
      })
    return Math.min(Math.max(wait_ms ?? wait_max_ms, wait_min_ms), wait_max_ms)
  }
  const loop = createBackgroundLoop(untilNext)
  return { runDue, start: loop.start, stop: loop.stop }
}

/** One turn for each organization with due timers. False when nothing moved: all done, or others are at work. */
async function sweepRound(runtime: Runtime, kinds: TimerKinds, tally: Tally, signal: AbortSignal): Promise<boolean> {
  const waiting = await runtime.database.transaction({ role: 'engine' }, (tx) =>
    organizationsWithDueTimers(tx, [...kinds.keys()], organizations_per_round_max),
  )
  const before = tally.fired + tally.failed
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await takeTurn(runtime, kinds, next, tally, signal)
    }
  }
  await Promise.all(Array.from({ length: organizations_at_once_max }, lane))
  return tally.fired + tally.failed > before
}

async function takeTurn(
  runtime: Runtime,
  kinds: TimerKinds,
  organization_id: string,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let turns = 0; turns < timers_per_turn_max && !signal.aborted; turns += 1) {
      const firing = await fireNext(runtime, kinds, organization_id)
      if (firing === 'idle') return
      if (firing !== 'gone') tally[firing] += 1
    }
  } catch (error) {
    // Not even the failure could be noted; the other organizations go on, and the next sweep comes back to this one.
    runtime.log.error({ organization_id, err: error }, 'sweep_failed')
  }
}

function register({ events }: Registry, definitions: readonly TimerDefinition[]): TimerKinds {
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
  if (kinds.size < definitions.length) throw new Error('a kind of timer is defined twice')
  for (const { kind, emits = [] } of definitions) {
    const unknown = emits.find(({ type }) => !events.has(type))
    if (unknown) throw new Error(`timer ${kind} emits ${unknown.type}, which is not in the catalogue`)
  }
  return kinds
}
