import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import { openStream, type Runtime, type StreamCall } from '#core/invoke.ts'
import { rateLimited, refusalOf, unavailable } from '#core/problems.ts'
import { countedAs } from '../admit-caller.ts'
import { follow } from './follow.ts'
import { problemOf } from './reply.ts'
import { openStreams } from './request-metrics.ts'

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
  // Whoever closes the server waits for what runs: a stream ends at its next look, and its client goes on elsewhere.
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
        // What is wrong with the request is answered as for the list, before the stream begins.
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

/** A browser sends it by itself after a break; it is empty where no event had an id yet. */
function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}
