import type { Problem } from './problems.ts'

interface Bounds {
  running_max: number
  waiting_max: number
  refusal: () => Problem
}

/** Does so much work at once and no more; the rest waits in order. Who goes ahead finds as many places to wait again. */
export function createSemaphore({ running_max, waiting_max, refusal }: Bounds) {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    /** Does the work when its turn comes, or throws the refusal where too many wait; `ahead` of all who wait if told. */
    async run<Result>(work: () => Promise<Result>, { ahead = false } = {}): Promise<Result> {
      if (running < running_max) running += 1
      else if (waiting.length >= (ahead ? 2 : 1) * waiting_max) throw refusal()
      else await new Promise<void>((resolve) => void (ahead ? waiting.unshift(resolve) : waiting.push(resolve)))
      try {
        return await work()
      } finally {
        // The place goes to the next who waits, without being free in between.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
