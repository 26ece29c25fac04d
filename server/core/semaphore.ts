import type { Problem } from './problems.ts'

export interface Semaphore {
  /** Does the work when its turn comes, or throws the refusal where too many wait; `ahead` of all who wait if told. */
  run<Result>(work: () => Promise<Result>, options?: { ahead?: boolean }): Promise<Result>
}

/** Does so much work at once and no more; the rest waits in order. Who goes ahead finds as many places to wait again. */
export function createSemaphore({
  running_max,
  waiting_max,
  refusal,
}: {
  running_max: number
  waiting_max: number
  refusal: () => Problem
}): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  const enter = async (ahead: boolean) => {
    if (running < running_max) {
      running += 1
      return
    }
    if (waiting.length >= (ahead ? 2 : 1) * waiting_max) throw refusal()
    await new Promise<void>((resolve) => void (ahead ? waiting.unshift(resolve) : waiting.push(resolve)))
  }
  return {
    async run(work, { ahead = false } = {}) {
      await enter(ahead)
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
