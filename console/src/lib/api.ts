import { ConnectionError, ProblemError } from '#sdk/errors.ts'

/** One message about one field; `pointer` is a JSON Pointer into the body that was sent. */
export interface FieldError {
  pointer: string
  message: string
}

/** A refusal of the service (RFC 9457), or `offline` when it could not be asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly request_id: string | null
  readonly fields: readonly FieldError[]
  /** Why a set-up link cannot be used. */
  readonly reason: string | null
  readonly retry_after_s: number

  constructor(status: number, problem: Record<string, unknown>, retry_after: string | null) {
    super(String(problem.detail ?? problem.title ?? 'The service gave no reason.'))
    this.status = status
    this.code = String(problem.code ?? 'unknown')
    this.request_id = typeof problem.request_id === 'string' ? problem.request_id : null
    this.fields = Array.isArray(problem.errors) ? (problem.errors as FieldError[]) : []
    this.reason = typeof problem.reason === 'string' ? problem.reason : null
    this.retry_after_s = Number(retry_after ?? 0) || 0
  }
}

const answer_limit_ms = 30_000

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Sending {
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Calls one of the console's own endpoints. */
export function call<Answer>(method: Method, path: string, sending: Sending = {}): Promise<Answer> {
  return ask(method, `/console/auth${path}`, sending)
}

/** Sends one request and reads its JSON; a refusal is thrown. */
export async function ask<Answer>(method: Method, url: string, sending: Sending): Promise<Answer> {
  const signal = sending.signal ?? AbortSignal.timeout(answer_limit_ms)
  const answer = await send(method, url, { ...sending, signal })
  // The cast holds because each caller names what its endpoint answers.
  return (answer.status === 204 ? null : await answer.json().catch(() => null)) as Answer
}

/**
 * Sends one request. The header is what no page of another site can send without being asked for it first, and nobody
 * answers that question.
 */
export async function send(method: Method, url: string, { body, headers = {}, signal }: Sending): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(url, {
      method,
      headers: { 'stint-console': '1', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      credentials: 'same-origin',
      redirect: 'error',
      ...(signal && { signal }),
    })
  } catch {
    throw offline()
  }
  if (answer.ok) return answer
  const problem = (await answer.json().catch(() => null)) ?? {}
  throw new ApiError(answer.status, problem as Record<string, unknown>, answer.headers.get('retry-after'))
}

/** The service could not be asked. */
export function offline(): ApiError {
  const detail = 'The service could not be reached. Check your connection, then try again.'
  return new ApiError(0, { code: 'offline', detail }, null)
}

export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ProblemError) {
    return new ApiError(error.status, error.document, error.headers.get('retry-after'))
  }
  if (error instanceof ConnectionError) return offline()
  return error instanceof ApiError ? error : new ApiError(0, { code: 'defect', detail: String(error) }, null)
}
