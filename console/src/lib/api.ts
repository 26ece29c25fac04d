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

/**
 * Calls one of the console's own endpoints. The header is what no page of another site can send without being asked for it
 * first, and nobody answers that question.
 */
export async function call<Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const answer = await send(method, path, body, headers)
  const content = answer.status === 204 ? null : await answer.json().catch(() => null)
  if (!answer.ok) {
    throw new ApiError(answer.status, (content ?? {}) as Record<string, unknown>, answer.headers.get('retry-after'))
  }
  // The cast holds because each caller names what its endpoint answers.
  return content as Answer
}

async function send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(`/console/auth${path}`, {
      method,
      headers: { 'stint-console': '1', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(answer_limit_ms),
    })
  } catch {
    const detail = 'The service could not be reached. Check your connection, then try again.'
    throw new ApiError(0, { code: 'offline', detail }, null)
  }
}

export function apiErrorOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, { code: 'defect', detail: String(error) }, null)
}
