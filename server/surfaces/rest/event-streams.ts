import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Gauge } from 'prom-client'
import type { Caller } from '#core/caller.ts'
import { type OpenStream, openStream, type Runtime, type StreamCall } from '#core/invoke.ts'
import { metrics } from '#core/metrics.ts'
import type { StreamPart } from '#core/operation.ts'
import { rateLimited, refusalOf, unavailable } from '#core/problems.ts'
import { countedAs, weightsOf } from '../request-head.ts'
import { problemOf } from '../send-problem.ts'

export interface EventStreamParts {
  runtime: Runtime
  authenticate(authorization: string | undefined, address: string | null): Promise<Caller>
  /** Between two looks for news, at each of which the credential is checked again; a second unless told. */
  look_every_ms?: number
  heartbeat_every_ms?: number
}

export interface EventStreams {
  /** Answers with a stream that ends with the client, its credential or the process. */
  answer(request: FastifyRequest, reply: FastifyReply, call: StreamCall): Promise<FastifyReply>
}

const openStreams = new Gauge({
  name: 'http_event_streams',
  help: 'Open streams of server-sent events.',
  registers: [metrics],
})

const streams_max = 200
const streams_per_credential_max = 10
const retry_after_s = 5

/** The lists that can be followed, as server-sent events (WHATWG HTML, section 9.2). */
export function createEventStreams(app: FastifyInstance, parts: EventStreamParts): EventStreams {
  const { runtime, authenticate, look_every_ms = 1_000, heartbeat_every_ms = 15_000 } = parts
  /** Credentials of the open streams. */
  const credentials: string[] = []
  let has_listened = false
  app.addHook('onListen', async () => {
    has_listened = true
  })
  // Closing the server waits for what runs: a stream ends at its next look, and its client goes on elsewhere.
  const isClosing = () => has_listened && !app.server.listening

  const enter = (credential_id: string): (() => void) => {
    if (isClosing()) throw unavailable('This process is shutting down.')
    refuseBeyondLimits(credentials, credential_id)
    credentials.push(credential_id)
    openStreams.set(credentials.length)
    return () => {
      credentials.splice(credentials.indexOf(credential_id), 1)
      openStreams.set(credentials.length)
    }
  }

  return {
    async answer(request, reply, call) {
      const leave = enter(countedAs(call.caller))
      try {
        const stream = openStream(runtime, call, lastEventId(request))
        // Faults of the request are answered as for the list, before the stream begins.
        const first = await stream.read(call.caller)
        const body = new PassThrough()
        body.once('close', leave)
        const resolve = () => authenticate(request.headers.authorization, request.client_address)
        const toProblem = (error: unknown) => refusalOf(runtime, problemOf(error), request.id).body
        void follow({ stream, body, isClosing, resolve, toProblem, look_every_ms, heartbeat_every_ms }, first)
        request.operation = `${call.operation.definition.id}.stream`
        return reply.header('X-Accel-Buffering', 'no').type('text/event-stream').send(body)
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

function refuseBeyondLimits(credentials: readonly string[], credential_id: string): void {
  const own = credentials.filter((id) => id === credential_id).length
  const headers = { 'Retry-After': String(retry_after_s) }
  if (own >= streams_per_credential_max) {
    throw rateLimited(`A credential has at most ${streams_per_credential_max} streams open.`, { headers })
  }
  if (credentials.length >= streams_max) {
    throw rateLimited(`This process has ${streams_max} streams open and takes no more.`, { headers })
  }
}

/** Returns true when the client prefers a stream to JSON (RFC 9110 §12.5.1); it has to name it, and HEAD asks for none. */
export function acceptsEventStream({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET') return false
  const weights = weightsOf(headers.accept)
  const stream = weights.get('text/event-stream') ?? 0
  return stream > 0 && stream >= (weights.get('application/json') ?? 0)
}

/** A browser sends it by itself after a break; it is empty where no event had an id yet. */
function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

interface Follower {
  stream: OpenStream
  /** The answer as the client reads it. */
  body: PassThrough
  /** The process is about to end. */
  isClosing(): boolean
  /** The caller that the credential stands for now; throws where it no longer stands for one. */
  resolve(): Promise<Caller>
  /** The problem told to a client that cannot be served any more. */
  toProblem(error: unknown): object
  look_every_ms: number
  heartbeat_every_ms: number
}

/** Milliseconds that a client that was cut waits before it comes again. */
const retry_ms = 1_000
/** A client that takes nothing for so long is cut. */
const stalled_max_ms = 30_000

/** Tells the client what comes until one side ends it. Never rejects. */
async function follow(follower: Follower, first: StreamPart): Promise<void> {
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
