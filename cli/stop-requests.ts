export interface StopRequests {
  /** Once, at the first request: end in order. */
  stop(): void
  /** At a further Ctrl-C: end at once. */
  endAtOnce(): void
}

/** In a terminal Ctrl-C reaches npm and the service, and npm hands its own on: both are one. */
const echo_ms = 300

const look_every_ms = 1_000

/**
 * Listens for everything that asks the service to end: SIGTERM, Ctrl-C, the end of its terminal (SIGHUP), and the end of
 * the process that started it, where that is npm or the launcher on another Node, which may end without a word.
 */
export function onStopRequests({ stop, endAtOnce }: StopRequests): void {
  let asked_at: number | undefined
  const ask = () => {
    if (asked_at !== undefined) return
    asked_at = performance.now()
    stop()
  }
  process.on('SIGTERM', ask)
  process.on('SIGHUP', ask)
  process.on('SIGINT', () => {
    if (asked_at !== undefined && performance.now() - asked_at > echo_ms) endAtOnce()
    else ask()
  })
  process.once('disconnect', ask)
  process.channel?.unref()
  if (process.env.npm_lifecycle_event !== undefined) watchParent(ask)
  ignoreLostTerminal()
}

/** A process whose parent ends gets another one. */
function watchParent(ended: () => void): void {
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) return
    clearInterval(timer)
    ended()
  }
  const timer = setInterval(look, look_every_ms).unref()
}

/** A write to a terminal that is gone fails (EIO), and must not end the process before its database. */
function ignoreLostTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Ended before its time, on request; what it began is gone. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Runs a command that tidies up when it is stopped: the first request aborts it, a second Ctrl-C ends it at once. */
export async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const ending = new AbortController()
  const stop = () => ending.abort(new Interrupted('it was stopped before its end; nothing of it is left'))
  onStopRequests({ stop, endAtOnce: () => process.exit(130) })
  return work(ending.signal)
}
