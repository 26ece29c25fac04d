import type { FastifyReply, FastifyRequest } from 'fastify'
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

/** Sends whatever was thrown as a problem document; what is not a problem becomes one that tells nothing of us. */
export function sendProblem(reply: FastifyReply, error: unknown, addresses: RestAddresses): FastifyReply {
  const { request } = reply
  const problem = problemOf(error)
  request.problem = problem
  const { status, body } = refusalOf(addresses, problem, request.id)
  return reply
    .code(status)
    .headers(headersOf(problem, request, addresses.resource_metadata))
    .type('application/problem+json')
    .send(JSON.stringify(body))
}

/** Headers of a refusal, on every surface. */
export function headersOf(problem: Problem, { headers }: FastifyRequest, resource_metadata: string) {
  const challenge = challengeOf(problem, resource_metadata, headers.authorization !== undefined)
  return {
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(problem.definition.status === 503 && { 'Retry-After': '5' }),
    ...problem.details.headers,
  }
}

/**
 * RFC 6750 §3: no error code without a credential; RFC 9728 §5.1 names the metadata. Where no scope would help (a role
 * forbids it) there is no challenge, which a client would answer with the same request for ever.
 */
function challengeOf({ definition, details }: Problem, resource_metadata: string, presented: boolean): string | null {
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

/** Turns every thrown value into a problem. What the framework refuses otherwise, and a broken upload, are 4xx by its word. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DatabaseUnavailable) return unavailable(undefined, { cause: error })
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number }
  const known = problemsOfFramework[code]?.()
  if (known) return known
  return statusCode >= 400 && statusCode < 500
    ? malformedJson('The body could not be read.')
    : internalError(undefined, { cause: error })
}
