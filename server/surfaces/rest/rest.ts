import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorize, type Caller } from '#core/caller.ts'
import { invoke, type Runtime } from '#core/invoke.ts'
import { isQuery, isRepeatable } from '#core/operation.ts'
import type { Problem } from '#core/problems.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { type Admission, admitCaller, countRequest } from '../admit-caller.ts'
import { compressAnswers } from '../content-encoding.ts'
import { idempotencyKeyOf } from '../idempotency-key.ts'
import { traceIdOf } from '../trace-id.ts'
import { acceptsEventStream } from './accepts.ts'
import { createEventStreams, type EventStreams } from './event-streams.ts'
import { placeInput } from './place-input.ts'
import { type RestAddresses, sendAnswer } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    operation: string | undefined
    problem: Problem | undefined
  }
}

export interface RestSurface extends Admission {
  runtime: Runtime
  addresses: RestAddresses
  /** Pace of followed lists, see `EventStreamParts`. */
  look_every_ms?: number
  heartbeat_every_ms?: number
}

/** The registry turned outward as REST: one route per operation. */
export function mountRest(app: FastifyInstance, surface: RestSurface): void {
  const streams = createEventStreams(app, surface)
  compressAnswers(app)
  for (const operation of surface.runtime.registry.operations) {
    const { method, path, reveals_secret } = operation.definition
    app.route({
      method,
      url: path,
      config: { is_never_compressed: reveals_secret !== undefined },
      onRequest: (request, reply) => admit(surface, operation, request, reply),
      handler: (request, reply) => answer(surface, streams, operation, request, reply),
    })
  }
}

/** Before the body is read: who calls, may this caller still call, and may it call this. */
async function admit(
  surface: RestSurface,
  { definition }: RegisteredOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.operation = definition.id
  const caller = await admitCaller(surface, request.headers.authorization, request.client_address)
  request.caller = caller
  reply.headers(countRequest(surface, caller))
  authorize(caller, definition)
}

async function answer(
  { runtime, addresses }: RestSurface,
  streams: EventStreams,
  operation: RegisteredOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller } = request
  if (!caller) throw new Error('a request reached its handler without a caller')
  const { definition } = operation
  const call = {
    operation,
    caller,
    input: placeInput(operation, request),
    from_text: isQuery(definition),
    from_url: true,
    request_id: request.id,
    trace_id: traceIdOf(request.headers.traceparent),
    address: request.client_address,
    surface: 'rest',
    idempotency_key: isRepeatable(definition)
      ? idempotencyKeyOf(request.headers['idempotency-key'], 'Idempotency-Key')
      : undefined,
    conditions: { if_match: request.headers['if-match'], if_none_match: request.headers['if-none-match'] },
  }
  if (definition.stream && acceptsEventStream(request)) return streams.answer(request, reply, call)
  return sendAnswer(reply, await invoke(runtime, call), addresses)
}
