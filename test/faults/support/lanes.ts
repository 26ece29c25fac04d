import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Injected } from '#test/oauth.ts'

/** Below 120 authorization requests of an address in a minute. */
const pause_ms = 550
/** A service notices that its database is back within this. */
const recovery_ms = 20_000

/** One way into the service, called again and again. */
export interface Lane {
  call(): Promise<Injected>
  isGood(answer: Injected): boolean
  /** Needs no database, so it is never refused. */
  is_open?: boolean
}

export interface LaneCount {
  good: number
  refused: number
}

/**
 * Calls all lanes until the strike is over. Whatever is not good is 503 with `Retry-After`; each lane is good again soon
 * after the strike says that the database is back.
 */
export async function keepCalling(
  lanes: Record<string, Lane>,
  strike: (untilGood: () => Promise<void>) => Promise<void>,
): Promise<Record<string, LaneCount>> {
  const counts: Record<string, LaneCount> = {}
  let running = true
  const keep = async ([name, lane]: [string, Lane]) => {
    const count = { good: 0, refused: 0 }
    counts[name] = count
    while (running) {
      count[outcomeOf(name, lane, await lane.call())] += 1
      await delay(pause_ms)
    }
  }
  const all = Promise.all(Object.entries(lanes).map(keep))
  const untilGood = async () => {
    const before = Object.values(counts).map(({ good }) => good)
    const until = Date.now() + recovery_ms
    while (Object.values(counts).some(({ good }, index) => good === before[index])) {
      assert.ok(Date.now() < until, `not every lane is good again: ${JSON.stringify(counts)}`)
      await Promise.race([delay(50), all])
    }
  }
  const struck = strike(untilGood).finally(() => {
    running = false
  })
  await Promise.all([struck, all])
  return counts
}

function outcomeOf(name: string, { isGood, is_open = false }: Lane, answer: Injected): keyof LaneCount {
  if (isGood(answer)) return 'good'
  const { statusCode, headers, body } = answer
  assert.deepEqual([name, statusCode, is_open], [name, 503, false], body)
  assert.match(String(headers['retry-after']), /^\d+$/)
  assert.equal(headers['www-authenticate'], undefined)
  return 'refused'
}
