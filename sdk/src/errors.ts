import type { Problem, ProblemCode } from './generated/types.ts'
import type { Open } from './shapes.ts'

/** The service refused a call and said why (RFC 9457): decide by `code`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  /** Address of the page that explains the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: Open<ProblemCode>
  /** For the operator, whose log has it too; null where something on the way answered in place of the service. */
  readonly request_id: string | null
  /** Places of the input that were refused, by JSON Pointer (RFC 6901). */
  readonly errors: readonly { pointer: string; message: string }[]
  /** The whole document, with members of its code such as `required_scopes`. */
  readonly document: Readonly<Record<string, unknown>>
  readonly headers: Headers
  /** The key of the call: after a 503 or 504, the same call with it finishes it and does nothing twice. */
  readonly idempotency_key: string | null = null

  constructor(document: Partial<Problem>, response: Pick<Response, 'status' | 'headers'>) {
    const { headers } = response
    // In a stream that had begun a refusal comes behind a 200.
    const { status = response.status } = document
    const { type = 'about:blank', title = `HTTP ${status}`, code = `http_${status}`, errors = [] } = document
    const detail = document.detail ?? title
    const places = errors.map(({ pointer, message }) => `\n  ${pointer || '/'} ${message}`).join('')
    super(`${status} ${code}: ${detail}${places}`)
    this.type = type
    this.title = title
    this.status = status
    this.detail = detail
    this.code = code
    this.errors = errors
    this.document = { ...document }
    this.headers = headers
    this.request_id = document.request_id ?? headers.get('request-id')
  }
}

/** No answer came, or only a part of it. Where the call was a change, it may have been made. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly tries: number
  /** The same call with this key finishes it and does nothing twice, also from another process. */
  readonly idempotency_key: string | null

  constructor(message: string, options: { cause: unknown; tries: number; idempotency_key: string | null }) {
    super(message, { cause: options.cause })
    this.tries = options.tries
    this.idempotency_key = options.idempotency_key
  }
}

/** Reads the refusal of a response; whatever a proxy answered in its own form becomes one of no known code. */
export async function refusalOf(response: Response): Promise<ProblemError> {
  const text = await response.text()
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === 'object' && document !== null) return new ProblemError(document, response)
  } catch {
    // A page of HTML, or nothing.
  }
  return new ProblemError({}, response)
}
