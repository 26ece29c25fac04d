import { setTimeout as sleep } from 'node:timers/promises'

export interface Job {
  start(): void
  /** Waits for the turn under way; the pause behind it is cut short. */
  stop(): Promise<void>
  /** Aborted by `stop`: a long turn looks at it and ends early. */
  readonly signal: AbortSignal
}

/**
 * Takes a turn again and again until it is stopped, each after the pause in milliseconds that the one before answered.
 * A turn handles its own errors: what failed, and when to try again, only it knows.
 */
export function createJob(turn: () => Promise<number>, { first_after_ms = 0 }: { first_after_ms?: number } = {}): Job {
  let ending = new AbortController()
  let loop: Promise<void> = Promise.resolve()

  const runUntil = async (signal: AbortSignal) => {
    for (let pause_ms = first_after_ms; !signal.aborted; ) {
      if (pause_ms > 0) await sleep(pause_ms, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) pause_ms = await turn()
    }
  }
  return {
    start() {
      ending = new AbortController()
      loop = runUntil(ending.signal)
    },
    async stop() {
      ending.abort()
      await loop
    },
    get signal() {
      return ending.signal
    },
  }
}
