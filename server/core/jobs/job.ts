import { setTimeout as sleep } from 'node:timers/promises'

export type Job = ReturnType<typeof createJob>

/**
 * Takes a turn again and again until it is stopped, each after the pause in milliseconds that the one before answered.
 * A turn handles its own errors: what failed, and when to try again, only it knows.
 */
export function createJob(turn: () => Promise<number>, { first_after_ms = 0 } = {}) {
  let ending = new AbortController()
  let loop = Promise.resolve()
  const runUntil = async (signal: AbortSignal) => {
    for (let pause_ms = first_after_ms; !signal.aborted; ) {
      if (pause_ms > 0) await sleep(pause_ms, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) pause_ms = await turn()
    }
  }
  return {
    start(): void {
      ending = new AbortController()
      loop = runUntil(ending.signal)
    },
    /** Waits for the turn under way; the pause behind it is cut short. */
    async stop(): Promise<void> {
      ending.abort()
      await loop
    },
    /** Aborted by `stop`: a long turn looks at it and ends early. */
    get signal(): AbortSignal {
      return ending.signal
    },
  }
}
