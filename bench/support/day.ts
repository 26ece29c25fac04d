/** Subscriptions of each organization: as many as the default of `WEBHOOK_MAX_SUBSCRIPTIONS` allows. */
export const subscriptions_each = 100

export const hours_of_day = 24

/** The busiest hour has nine times the events of the quietest one: 1.8 and 0.2 times the mean. */
const peak_hour = 14
const swing = 0.8

/** The share of a day's events that has happened at a moment of it, from 0 to 1. */
export function shareHappened(moment: number): number {
  const angle = (at: number) => 2 * Math.PI * (at - peak_hour / hours_of_day)
  return moment + (swing / (2 * Math.PI)) * (Math.sin(angle(moment)) - Math.sin(angle(0)))
}

/** Behaviours of receivers; of 1,000 subscriptions so many have each, the others are `healthy`. */
const faulty_of_1000 = { slow: 5, hanging: 5, failing: 20, resetting: 10, flaky: 10 } as const

export type Behaviour = keyof typeof faulty_of_1000 | 'healthy'

/** The behaviour of the receiver of a subscription, the same in every run. */
export function behaviourOf(rank: number, index: number): Behaviour {
  let place = chanceOf(rank * subscriptions_each + index) * 1_000
  for (const [behaviour, share] of Object.entries(faulty_of_1000)) {
    place -= share
    if (place < 0) return behaviour as Behaviour
  }
  return 'healthy'
}

/** A number from 0 to 1 that looks like chance and follows from the seed (mulberry32). */
export function chanceOf(seed: number): number {
  let state = (seed + 0x6d2b79f5) | 0
  state = Math.imul(state ^ (state >>> 15), state | 1)
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61)
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32
}

/** Draws ranks from 0 on, each as likely as 1 / (rank + 1): Zipf's law, by which a few organizations have most events. */
export function zipf(ranks: number): (chance: number) => number {
  let sum = 0
  const sums = Float64Array.from({ length: ranks }, (_, rank) => {
    sum += 1 / (rank + 1)
    return sum
  })
  return (chance) => {
    const wanted = chance * sum
    let [low, high] = [0, ranks - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
