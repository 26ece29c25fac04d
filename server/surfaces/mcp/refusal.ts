import { Problem } from '#core/problems/problem.ts'
import { internalError, unavailable } from '#core/problems/problems.ts'
import { DatabaseUnavailable } from '#db/errors.ts'

/** Codes of JSON-RPC 2.0 and of the Model Context Protocol. What HTTP refuses carries its status as code. */
export const rpcCodes = {
  parse_error: -32_700,
  invalid_request: -32_600,
  invalid_params: -32_602,
  internal_error: -32_603,
  header_mismatch: -32_020,
} as const

export interface RefusalDetails {
  status: number
  code: number
  message: string
  data?: unknown
  headers?: Record<string, string>
  /** What the request log names. */
  problem?: Problem
}

/** Ends an exchange with an HTTP status and a JSON-RPC error as its body. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly details: RefusalDetails

  constructor(details: RefusalDetails) {
    super(details.message, { cause: details.problem })
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
  return new Refusal({
    status,
    code: status,
    message: problem.details.detail ?? `${title}. ${advice}`,
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': presented ? `${challenge}, error="invalid_token"` : challenge }),
      ...(status === 503 && { 'Retry-After': retry_after_s }),
      ...problem.details.headers,
    },
    problem,
  })
}

/** A mistake of ours; its cause goes to the log and never into the answer. */
export function defect(cause: unknown, request_id: string): Refusal {
  return new Refusal({
    status: 200,
    code: rpcCodes.internal_error,
    message: `Internal error, request ${request_id}`,
    problem: internalError(undefined, { cause }),
  })
}
