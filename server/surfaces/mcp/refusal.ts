import type { FastifyReply } from 'fastify'
import { bodyTooLarge, internalError, Problem, unavailable } from '#core/problems.ts'
import { DatabaseUnavailable } from '#db/errors.ts'

/** Codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const rpc_codes = {
  parse_error: -32_700,
  invalid_request: -32_600,
  method_not_found: -32_601,
  invalid_params: -32_602,
  internal_error: -32_603,
  header_mismatch: -32_020,
} as const

export interface RefusalDetails {
  /** Of the JSON-RPC error; what HTTP refuses carries its status as code. */
  code?: number
  data?: unknown
  headers?: Record<string, string>
  /** Named by the request log. */
  problem?: Problem
}

/** Ends a request with an HTTP status and a JSON-RPC error as its body. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly details: RefusalDetails

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.problem })
    this.status = status
    this.details = details
  }
}

const statuses_over_http = new Set([401, 429, 503])

const retry_after_s = '5'

/**
 * A problem that is about the caller or the service, not about the tool's work, as a refusal over HTTP (authorization
 * design §8); null for the others. `challenge` begins every `WWW-Authenticate`; RFC 6750 §3.1 adds the error code when
 * a credential was presented.
 */
export function refusalOver(error: unknown, challenge: string, presented: boolean): Refusal | null {
  const problem = error instanceof DatabaseUnavailable ? unavailable(undefined, { cause: error }) : error
  if (!(problem instanceof Problem) || !statuses_over_http.has(problem.definition.status)) return null
  const { status, title, advice } = problem.definition
  return new Refusal(status, problem.details.detail ?? `${title}. ${advice}`, {
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': presented ? `${challenge}, error="invalid_token"` : challenge }),
      ...(status === 503 && { 'Retry-After': retry_after_s }),
      ...problem.details.headers,
    },
    problem,
  })
}

/** A mistake of ours; its cause goes to the log and never to the client. */
export function defect(cause: unknown, request_id: string): Refusal {
  const problem = internalError(undefined, { cause })
  return new Refusal(200, `Internal error, request ${request_id}`, { code: rpc_codes.internal_error, problem })
}

/** Sends what was thrown as a JSON-RPC error, with the id of its message as far as that was read. */
export function sendRefusal(reply: FastifyReply, error: unknown): FastifyReply {
  const { request } = reply
  const { status, message, details } = refusalOf(error, request.id)
  const { code = status, data, headers = {}, problem } = details
  request.problem = problem
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: request.rpc_id, error: { code, message, data } }))
}

function refusalOf(error: unknown, request_id: string): Refusal {
  if (error instanceof Refusal) return error
  // Every surface refuses some requests by their head: a packed body, a broken query.
  if (error instanceof Problem && error.definition.status < 500) {
    const { definition, details, message } = error
    return new Refusal(definition.status, details.detail ? message : definition.advice, {
      problem: error,
      ...(details.headers && { headers: details.headers }),
    })
  }
  const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal(413, 'Send at most 1 MiB.', { problem: bodyTooLarge() })
  }
  // The framework refuses more, such as an upload that its sender broke off.
  if (statusCode >= 400 && statusCode < 500) {
    return new Refusal(400, 'The body could not be read.', { code: rpc_codes.parse_error })
  }
  return defect(error, request_id)
}
