import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#core/problems.ts'
import { headersOf, problemOf } from '../send-problem.ts'

/** Codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const rpc_codes = {
  parse_error: -32_700,
  invalid_request: -32_600,
  invalid_params: -32_602,
  internal_error: -32_603,
  header_mismatch: -32_020,
} as const

interface Details {
  /** Of the JSON-RPC error; what HTTP refuses carries its status as code. */
  code?: number
  data?: unknown
  headers?: Record<string, string>
}

/** Ends a request with an HTTP status and a JSON-RPC error as its body. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly details: Details

  constructor(status: number, message: string, details: Details = {}) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** About the caller or the service, not about the work of a tool: refused over HTTP (authorization design §8). */
export const isOverHttp = ({ definition: { status } }: Problem) => status === 401 || status === 429 || status === 503

/** Sends what was thrown as a JSON-RPC error, with the id of its message as far as that was read. */
export function sendRefusal(reply: FastifyReply, error: unknown, resource_metadata: string): FastifyReply {
  const { request } = reply
  request.problem = error instanceof Refusal ? undefined : problemOf(error)
  const { status, message, details } =
    error instanceof Refusal ? error : refusalOf(problemOf(error), request, resource_metadata)
  const { code = status, data, headers = {} } = details
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: request.rpc_id, error: { code, message, data } }))
}

function refusalOf(problem: Problem, request: FastifyRequest, resource_metadata: string): Refusal {
  const { definition, details } = problem
  const { code, status, title, advice } = definition
  // Of a mistake of ours the cause goes to the log and never to the client.
  if (status >= 500 && !isOverHttp(problem)) {
    return new Refusal(200, `Internal error, request ${request.id}`, { code: rpc_codes.internal_error })
  }
  return new Refusal(status, details.detail ?? (isOverHttp(problem) ? `${title}. ${advice}` : advice), {
    ...(code === 'malformed_json' && { code: rpc_codes.parse_error }),
    data: details.members,
    headers: headersOf(problem, request, resource_metadata),
  })
}
