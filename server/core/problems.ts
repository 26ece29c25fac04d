/** One message about one place of the input; `pointer` is a JSON Pointer (RFC 6901) into the flat input. */
export interface FieldError {
  pointer: string
  message: string
}

export interface ProblemDefinition {
  code: string
  status: number
  title: string
  /** Advice to those who get it, for the documentation page of the code. */
  advice: string
}

interface ProblemDetails {
  detail?: string
  errors?: FieldError[]
  /** Further members of the problem document. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** True when the server of somebody else is away, which is no fault of ours to log. */
  is_elsewhere?: boolean
  cause?: unknown
}

/** A refusal the caller can read: a declared code with words for this case. `cause` stays inside. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly definition: ProblemDefinition
  readonly details: ProblemDetails

  constructor(definition: ProblemDefinition, details: ProblemDetails = {}) {
    super(details.detail ?? definition.title, { cause: details.cause })
    this.definition = definition
    this.details = details
  }
}

/** Makes the problem of one declared code: `throw notFound()`, `throw invalidState('The contract is completed.')`. */
export interface ProblemType {
  (detail?: string, details?: Omit<ProblemDetails, 'detail'>): Problem
  readonly definition: ProblemDefinition
}

const declared = new Map<string, ProblemDefinition>()

/** Declares a problem once: code, status and words. A code declared twice stops the boot. */
export function defineProblem(definition: ProblemDefinition): ProblemType {
  if (declared.has(definition.code)) throw new Error(`problem ${definition.code} is declared twice`)
  declared.set(definition.code, definition)
  const make = (detail?: string, details: Omit<ProblemDetails, 'detail'> = {}) =>
    new Problem(definition, { ...details, ...(detail !== undefined && { detail }) })
  return Object.assign(make, { definition })
}

/** Every declared problem, by code: the reference is made from it. */
export function declaredProblems(): ProblemDefinition[] {
  // Not by localeCompare, whose first call loads the collation of a language: 10 to 20 ms of each start.
  return [...declared.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
}

/** A problem as its document (RFC 9457) with its status. */
export function refusalOf(
  { problem_base }: { problem_base: string },
  { definition, details }: Problem,
  request_id: string,
): { status: number; body: Record<string, unknown> } {
  const { code, status, title, advice } = definition
  const body = {
    type: `${problem_base}/${code}`,
    title,
    status,
    detail: details.detail ?? advice,
    code,
    request_id,
    ...(details.errors && { errors: details.errors }),
    ...details.members,
  }
  return { status, body }
}

export const validationFailed = defineProblem({
  code: 'validation_failed',
  status: 400,
  title: 'The input is not valid',
  advice: 'Correct each field that is named and send the request again.',
})
export const malformedJson = defineProblem({
  code: 'malformed_json',
  status: 400,
  title: 'The body is not valid JSON',
  advice: 'Send one JSON object in UTF-8, names and texts in double quotes, without a comma at its end.',
})
export const malformedRequest = defineProblem({
  code: 'malformed_request',
  status: 400,
  title: 'The request is not valid HTTP',
  advice:
    'Send the request by an HTTP library, with one `Host`, one `Authorization`, and one way to tell the length of the body.',
})
export const requestTimeout = defineProblem({
  code: 'request_timeout',
  status: 408,
  title: 'The request did not arrive in time',
  advice: 'Send the head of a request within 20 s and all of it within 60 s.',
})
export const expectationFailed = defineProblem({
  code: 'expectation_failed',
  status: 417,
  title: 'The expectation cannot be met',
  advice: 'Leave the `Expect` header out, or send `Expect: 100-continue`.',
})
export const headersTooLarge = defineProblem({
  code: 'headers_too_large',
  status: 431,
  title: 'The header is too large',
  advice: 'Send at most 100 header fields and 16 KiB of them, path and query included.',
})
export const invalidCursor = defineProblem({
  code: 'invalid_cursor',
  status: 400,
  title: 'The cursor does not belong to this list',
  advice:
    'Use the cursor of the previous page unchanged, with the same filters and the same credential, or start again without one.',
})
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'A valid credential is needed',
  advice: 'Send `Authorization: Bearer <token>` with a token that is neither expired nor revoked.',
})
export const httpsRequired = defineProblem({
  code: 'https_required',
  status: 403,
  title: 'HTTPS is required',
  advice: 'Repeat the request with https://. A credential that was sent in plain text should be replaced.',
})
export const hostForbidden = defineProblem({
  code: 'host_forbidden',
  status: 403,
  title: 'This host is not served',
  advice: 'Use an address that the documentation or the metadata of this service names.',
})
export const insufficientScope = defineProblem({
  code: 'insufficient_scope',
  status: 403,
  title: 'The credential lacks a scope',
  advice: 'Use a credential that holds one of `required_scopes`.',
})
export const userRequired = defineProblem({
  code: 'user_required',
  status: 403,
  title: 'A user has to do this',
  advice: 'Sign in to the console, or use a personal token or an app that a user has authorized.',
})
export const sensitiveDataRequired = defineProblem({
  code: 'sensitive_data_required',
  status: 403,
  title: 'The credential lacks a category of sensitive data',
  advice: 'Use a credential that was granted the category named in `detail`.',
})
export const notFound = defineProblem({
  code: 'not_found',
  status: 404,
  title: 'Not found',
  advice: 'Check the ids. Rows of other organizations and deleted rows answer the same.',
})
export const methodNotAllowed = defineProblem({
  code: 'method_not_allowed',
  status: 405,
  title: 'The method is not allowed here',
  advice: 'Use one of the methods in the `Allow` header.',
})
export const preconditionFailed = defineProblem({
  code: 'precondition_failed',
  status: 412,
  title: 'The resource is not the one that was read',
  advice: 'Read it again, decide anew, and send the `ETag` of that answer in `If-Match`.',
})
export const bodyTooLarge = defineProblem({
  code: 'body_too_large',
  status: 413,
  title: 'The body is too large',
  advice: 'Send at most 1 MiB.',
})
export const unsupportedMediaType = defineProblem({
  code: 'unsupported_media_type',
  status: 415,
  title: 'The media type is not supported',
  advice: 'Send `Content-Type: application/json`.',
})
export const idempotencyInProgress = defineProblem({
  code: 'idempotency_in_progress',
  status: 409,
  title: 'A request with this Idempotency-Key is running',
  advice: 'Wait a second and repeat the same request.',
})
export const emailInUse = defineProblem({
  code: 'email_in_use',
  status: 409,
  title: 'The e-mail address is in use',
  advice: 'Use what has it already, or another address.',
})
export const nameInUse = defineProblem({
  code: 'name_in_use',
  status: 409,
  title: 'The name is in use',
  advice: 'Choose another name, or use the one that has it.',
})
export const hasDependents = defineProblem({
  code: 'has_dependents',
  status: 409,
  title: 'Others depend on it',
  advice: 'First end what depends on it, or have it refer to something else.',
})
export const confirmationOutdated = defineProblem({
  code: 'confirmation_outdated',
  status: 409,
  title: 'The change would no longer do what was confirmed',
  advice: 'Make the dry run again, look at what it would tell and book now, and confirm its new digest.',
})
export const clockAdvancing = defineProblem({
  code: 'clock_advancing',
  status: 409,
  title: 'The test clock of this sandbox is moving, or the sandbox is being reset',
  advice:
    'Wait until `GET /sandbox/clock` shows the time that it was sent to, where it arrives also when nobody waits; a reset takes seconds.',
})
export const dryRunUnsupported = defineProblem({
  code: 'dry_run_unsupported',
  status: 400,
  title: 'This cannot be tried out',
  advice: 'It takes several transactions, which cannot be taken back together. Call it without a dry run.',
})
export const idempotencyKeyReused = defineProblem({
  code: 'idempotency_key_reused',
  status: 422,
  title: 'The Idempotency-Key was used for another request',
  advice: 'Use a new key for a new request; repeat a request with the body it first had.',
})
export const invalidState = defineProblem({
  code: 'invalid_state',
  status: 409,
  title: 'The resource is in a state that does not allow this',
  advice: 'Read the resource again and decide by its status.',
})
export const referenceNotFound = defineProblem({
  code: 'reference_not_found',
  status: 422,
  title: 'A referenced resource does not exist',
  advice: 'Check the id that is named.',
})
export const hierarchyCycle = defineProblem({
  code: 'hierarchy_cycle',
  status: 422,
  title: 'The tree would have a circle or be too deep',
  advice: 'Choose a place that is neither the same one nor below it, and leaves room for what is below.',
})
export const externalIdInUse = defineProblem({
  code: 'external_id_in_use',
  status: 409,
  title: 'Another resource has this external_id',
  advice: 'Use the existing resource or another external_id.',
})
export const sandboxOnly = defineProblem({
  code: 'sandbox_only',
  status: 409,
  title: 'This exists in sandbox organizations only',
  advice: 'Use a token of a sandbox organization.',
})
export const dateOutOfRange = defineProblem({
  code: 'date_out_of_range',
  status: 422,
  title: 'A date is outside the range that is possible here',
  advice: 'Choose a date in the range that is named.',
})
export const missingValue = defineProblem({
  code: 'missing_value',
  status: 422,
  title: 'A value is missing and has no default',
  advice: 'Send the field that is named, or complete the resource that its default is taken from.',
})
export const amountPrecision = defineProblem({
  code: 'amount_precision',
  status: 422,
  title: 'An amount has more decimals than its currency',
  advice: 'Send at most as many decimals as the currency has; trailing zeros count.',
})
export const rateLimited = defineProblem({
  code: 'rate_limited',
  status: 429,
  title: 'Too many requests',
  advice: 'Wait as long as `Retry-After` says. `RateLimit` and `RateLimit-Policy` tell what is left.',
})
export const internalError = defineProblem({
  code: 'internal_error',
  status: 500,
  title: 'Internal error',
  advice: 'Repeat the request with the same Idempotency-Key; tell the operator the `request_id` if it happens again.',
})
export const unavailable = defineProblem({
  code: 'unavailable',
  status: 503,
  title: 'The service is temporarily unavailable',
  advice: 'Repeat the request later with the same Idempotency-Key.',
})
