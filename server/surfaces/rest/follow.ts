import type { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#core/caller.ts'
import type { OpenStream } from '#core/invoke.ts'
import type { StreamPart } from '#core/operation.ts'

export interface Follower {
  stream: OpenStream
  /** What the client reads. */
  body: PassThrough
  /** The process is about to end. */
  isClosing(): boolean
  /** The caller that the credential stands for now; throws where it no longer stands for one. */
  resolve(): Promise<Caller>
  /** What a client is told that cannot be served any more. */
  toProblem(error: unknown): object
  look_every_ms: number
  heartbeat_every_ms: number
}

/** What a client that was cut waits before it comes again. */
const retry_ms = 1_000
/** A client that takes nothing for so long is cut. */
const stalled_max_ms = 30_000

/** Tells the client what comes until one side ends it. Never rejects. */
export async function follow(follower: Follower, first: StreamPart): Promise<void> {
  const { body, isClosing, look_every_ms, heartbeat_every_ms } = follower
  body.write(`retry: ${retry_ms}\n\n${textOf(first)}`)
  let { has_more } = first
  let told_at_ms = performance.now()
  for (;;) {
    await sleep(has_more ? 0 : look_every_ms, undefined, { ref: false })
    if (body.destroyed || isClosing()) break
    const part = await look(follower)
    const silent_ms = performance.now() - told_at_ms
    if (part === 'over' || (part === 'stalled' && silent_ms > stalled_max_ms)) break
    has_more = part !== 'stalled' && part.has_more
    if (part === 'stalled' || (part.items.length === 0 && silent_ms < heartbeat_every_ms)) continue
    told_at_ms = performance.now()
    body.write(part.items.length === 0 ? `: heartbeat\n${textOf(part)}` : textOf(part))
  }
  end(body)
}

/** The credential is asked for at every look: what was revoked tells nothing from then on. */
async function look({ stream, body, resolve, toProblem }: Follower): Promise<StreamPart | 'stalled' | 'over'> {
  try {
    const caller = await resolve()
    // Nothing more waits in memory for a client that does not take what it was told.
    return body.writableNeedDrain ? 'stalled' : await stream.read(caller)
  } catch (error) {
    if (!body.destroyed) body.write(`event: problem\ndata: ${JSON.stringify(toProblem(error))}\n\n`)
    return 'over'
  }
}

/** In order where the client takes what it was told, else at once. */
function end(body: PassThrough): void {
  if (body.writableNeedDrain) body.destroy()
  else body.end()
}

/** One event per item; the last id also stands where there is none, so that a quiet stream moves on too. */
function textOf({ items, position }: StreamPart): string {
  const events = items.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
  return `${events.join('')}id: ${position}\n\n`
}
