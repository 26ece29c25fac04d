import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { authorise } from '#core/authorise.ts'
import type { Caller } from '#core/caller.ts'
import { invoke } from '#core/invoke.ts'
import { isQuery, isRepeatable } from '#core/operation.ts'
import { Problem } from '#core/problem.ts'
import { methodNotAllowed, validationFailed } from '#core/problems.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import type { Runtime } from '#core/runtime.ts'
import { networkOf } from '../https/address.ts'
import { placeInput } from './place-input.ts'
import { type RestAddresses, sendAnswer } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    operation: string | undefined
    problem: Problem | undefined
  }
}

export interface RestSurface {
  runtime: Runtime
  addresses: RestAddresses
  /** Turns the Authorization header into its caller, or throws `unauthenticated`. */
  authenticate(authorization: string | undefined, address: string | null): Promise<Caller>
  limits: { requests: RateLimit; failures: RateLimit }
}

/** The registry turned outward as REST: one route per operation, the other methods of its path answer 405. */
export function mountRest(app: FastifyInstance, surface: RestSurface): void {
  const methodsOf = new Map<string, Set<string>>()
  for (const operation of surface.runtime.registry.operations) {
    const { method, path } = operation.definition
    methodsOf.set(path, (methodsOf.get(path) ?? new Set<string>()).add(method))
    app.route({
      method,
      url: path,
      onRequest: (request, reply) => admit(surface, operation, request, reply),
      handler: (request, reply) => answer(surface, operation, request, reply),
    })
  }
  for (const [path, methods] of methodsOf) refuseOtherMethods(app, path, methods)
}

/** Before the body is read: who calls, may this caller still call, and may it call this. */
async function admit(
  { authenticate, limits }: RestSurface,
  { definition }: RegisteredOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.operation = definition.id
  const network = networkOf(request.client_address)
  limits.failures.check(network)
  try {
    request.caller = await authenticate(request.headers.authorization, request.client_address)
  } catch (error) {
    // A database that is away says nothing about the credential, and must not be held against its sender.
    const isRefusal = error instanceof Problem && request.headers.authorization !== undefined
    if (isRefusal) limits.failures.take(network)
    throw error
  }
  reply.headers(limits.requests.take(request.caller.credential_id))
  authorise(request.caller, definition)
}

async function answer(
  { runtime, addresses }: RestSurface,
  operation: RegisteredOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller } = request
  if (!caller) throw new Error('a request reached its handler without a caller')
  const { definition } = operation
  const result = await invoke(runtime, {
    operation,
    caller,
    input: placeInput(operation, request),
    from_text: isQuery(definition),
    request_id: request.id,
    trace_id: traceOf(request.headers.traceparent),
    address: request.client_address,
    idempotency_key: isRepeatable(definition) ? keyOf(request.headers['idempotency-key']) : undefined,
  })
  return sendAnswer(reply, result, addresses)
}

function keyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header
  const message = 'must be 1 to 255 printable ASCII characters'
  throw validationFailed(`The Idempotency-Key ${message}.`, { errors: [{ pointer: '/Idempotency-Key', message }] })
}

/** The trace id of a W3C `traceparent`, for the events this call causes. */
function traceOf(header: string | string[] | undefined): string | null {
  return (
    (typeof header === 'string' && /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(header)?.[1]) ||
    null
  )
}

function refuseOtherMethods(app: FastifyInstance, path: string, methods: ReadonlySet<string>): void {
  const known = methods.has('GET') ? [...methods, 'HEAD'] : [...methods]
  const others = app.supportedMethods.filter((method) => !known.includes(method))
  app.route({
    method: others as HTTPMethods[],
    url: path,
    onRequest: async () => {
      throw methodNotAllowed(undefined, { headers: { Allow: known.sort().join(', ') } })
    },
    handler: () => undefined,
  })
}
