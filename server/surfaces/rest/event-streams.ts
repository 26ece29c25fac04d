import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openStream, type Runtime, type StreamCall } from '#core/invoke.ts'
import { gauge } from '#core/metrics.ts'
import type { StreamPart } from '#core/operation.ts'
import { rateLimited, refusalOf, unavailable } from '#core/problems.ts'
import { type Admission, countedAs, weightsOf } from '../request-head.ts'
import { problemOf } from '../send-problem.ts'

const openStreams = gauge('http_event_streams', 'Open streams of server-sent events.')

const streams_max = 200
/** A quarter: an organization makes as many credentials as it likes. */
const streams_per_organization_max = 50
const streams_per_credential_max = 10
const retry_after_s = 5

export interface EventStreamParts extends Pick<Admission, 'authenticate'> {
  runtime: Runtime
  /** Between two looks for news, at each of which the credential is checked again; a second unless told. */
  look_every_ms?: number
  heartbeat_every_ms?: number
}

/**
 * The lists that can be followed, as server-sent events (WHATWG HTML, section 9.2): answers with a stream that ends with
 * the client, its credential or the process.
 */
export function createEventStreams(app: FastifyInstance, parts: EventStreamParts) {
  const { runtime, authenticate, look_every_ms = 1_000, heartbeat_every_ms = 15_000 } = parts
  const open: OpenStream[] = []
  let has_listened = false
  app.addHook('onListen', async () => {
    has_listened = true
  })
  // Closing the server waits for what runs: a stream ends at its next look, and its client goes on elsewhere.
  const isClosing = () => has_listened && !app.server.listening

  return async (request: FastifyRequest, reply: FastifyReply, call: StreamCall): Promise<FastifyReply> => {
    const own = { credential_id: countedAs(call.caller), organization_id: call.caller.organization_id }
    if (isClosing()) throw unavailable('This process is shutting down.')
    refuseBeyondLimits(open, own)
    open.push(own)
    openStreams.set(open.length)
    const leave = () => {
      open.splice(open.indexOf(own), 1)
      openStreams.set(open.length)
    }
    try {
      const stream = openStream(runtime, call, lastEventId(request))
      // Faults of the request are answered as for the list, before the stream begins.
      const first = await stream.read(call.caller)
      // The credential is asked for at every look: what was revoked tells nothing from then on.
      const look = async () => stream.read(await authenticate(request))
      const isOver = () => isClosing() || body.destroyed
      const told = async function* () {
        try {
          yield* follow(first, look, isOver, { look_every_ms, heartbeat_every_ms })
        } catch (error) {
          // The client cannot be served any more.
          const { body: problem } = refusalOf(runtime, problemOf(error), request.id)
          yield `event: problem\ndata: ${JSON.stringify(problem)}\n\n`
        }
      }
      const body = Readable.from(told()).once('close', leave)
      request.operation = `${call.operation.definition.id}.stream`
      return reply.header('X-Accel-Buffering', 'no').type('text/event-stream').send(body)
    } catch (error) {
      leave()
      throw error
    }
  }
}

interface OpenStream {
  credential_id: string
  organization_id: string
}

/** Throws where one more stream beside the open ones is too many. */
export function refuseBeyondLimits(open: readonly OpenStream[], { credential_id, organization_id }: OpenStream): void {
  const headers = { 'Retry-After': String(retry_after_s) }
  if (open.filter((one) => one.credential_id === credential_id).length >= streams_per_credential_max) {
    throw rateLimited(`A credential has at most ${streams_per_credential_max} streams open.`, { headers })
  }
  if (open.filter((one) => one.organization_id === organization_id).length >= streams_per_organization_max) {
    throw rateLimited(`An organization has at most ${streams_per_organization_max} streams open.`, { headers })
  }
  if (open.length >= streams_max) {
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

/** Milliseconds that a client that was cut waits before it comes again. */
const retry_ms = 1_000

/** Tells the client what comes until one side ends it. A client that takes nothing is not read for. */
async function* follow(
  first: StreamPart,
  look: () => Promise<StreamPart>,
  isOver: () => boolean,
  { look_every_ms, heartbeat_every_ms }: Required<Pick<EventStreamParts, 'look_every_ms' | 'heartbeat_every_ms'>>,
): AsyncGenerator<string> {
  yield `retry: ${retry_ms}\n\n${textOf(first)}`
  let part = first
  let told_at_ms = performance.now()
  for (;;) {
    await sleep(part.has_more ? 0 : look_every_ms, undefined, { ref: false })
    if (isOver()) return
    part = await look()
    const isQuiet = part.items.length === 0
    if (isQuiet && performance.now() - told_at_ms < heartbeat_every_ms) continue
    told_at_ms = performance.now()
    yield isQuiet ? `: heartbeat\n${textOf(part)}` : textOf(part)
  }
}

/** One event per item; the last id also stands where there is none, so that a quiet stream moves on too. */
function textOf({ items, position }: StreamPart): string {
  const events = items.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
  return `${events.join('')}id: ${position}\n\n`
}
