import type { FastifyReply } from 'fastify'
import {
  bodyTooLarge,
  internalError,
  malformedJson,
  notFound,
  Problem,
  refusalOf,
  unavailable,
  unsupportedMediaType,
  validationFailed,
} from '#core/problems.ts'
import { DatabaseUnavailable } from '#db/errors.ts'

export interface RestAddresses {
  /** REST base address without trailing slash; every `Location` begins with it. */
  base_url: string
  problem_base: string
  /** Protected resource metadata (RFC 9728) of the REST API, named in every challenge. */
  resource_metadata: string
}

const problemType = 'application/problem+json'

/** Sends whatever was thrown as a problem document; what is not a problem becomes one that tells nothing of us. */
export function sendProblem(reply: FastifyReply, error: unknown, addresses: RestAddresses): FastifyReply {
  const problem = problemOf(error)
  const { status, body } = refusalOf(addresses, problem, reply.request.id)
  const challenge = challengeOf(problem, addresses, reply.request.headers.authorization !== undefined)
  if (challenge) reply.header('WWW-Authenticate', challenge)
  if (status === 503) reply.header('Retry-After', '5')
  reply.request.problem = problem
  return reply
    .code(status)
    .headers(problem.details.headers ?? {})
    .type(problemType)
    .send(JSON.stringify(body))
}

/**
 * RFC 6750 §3: no error code without a credential; RFC 9728 §5.1 names the metadata. Where no scope would help (a role
 * forbids it) there is no challenge, which a client would answer with the same request for ever.
 */
function challengeOf(
  { definition, details }: Problem,
  { resource_metadata }: RestAddresses,
  presented: boolean,
): string | null {
  const bearer = `Bearer resource_metadata="${resource_metadata}"`
  if (definition.code === 'unauthenticated') return presented ? `${bearer}, error="invalid_token"` : bearer
  if (definition.code !== 'insufficient_scope') return null
  const scope = [...((details.members?.required_scopes as string[] | undefined) ?? [])].sort()[0]
  return scope ? `${bearer}, error="insufficient_scope", scope="${scope}"` : null
}

const problemsOfFramework: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => malformedJson('The body is shorter or longer than Content-Length says.'),
  FST_ERR_BAD_URL: () => validationFailed('The path is not percent-encoded UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: unsupportedMediaType,
}

/** Turns every thrown value into a problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DatabaseUnavailable) return unavailable(undefined, { cause: error })
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = problemsOfFramework[code]?.()
  if (known) return known
  return isCallersFault(error)
    ? malformedJson('The body could not be read.')
    : internalError(undefined, { cause: error })
}

/** Recognises further refusals of the framework, and an upload that its sender broke off: 4xx by its own word. */
function isCallersFault(error: unknown): boolean {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500
}
