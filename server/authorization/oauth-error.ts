/** Codes of RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2 and RFC 8707 §2 that this server answers with. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  server_error: 500,
  temporarily_unavailable: 503,
} as const

export type OAuthErrorCode = keyof typeof statuses

export const oauthErrorCodes = Object.keys(statuses) as OAuthErrorCode[]

/**
 * A refusal in the words of OAuth. The description is plain ASCII without quotes (RFC 6749 §5.2), begins with the field it
 * is about and never quotes what was sent; `cause` stays inside.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** True when the server of somebody else is away: nothing to mend here. */
  readonly isElsewhere: boolean

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown; isElsewhere?: boolean } = {},
  ) {
    super(description, { cause: options.cause })
    this.code = code
    this.status = options.status ?? statuses[code]
    this.isElsewhere = options.isElsewhere ?? false
    // RFC 6749 §5.2: a client that failed to authenticate is told a scheme it can use.
    const challenge = code === 'invalid_client' ? { 'WWW-Authenticate': 'Basic realm="stint"' } : {}
    this.headers = { ...challenge, ...options.headers }
  }
}

/**
 * One row of an endpoint's table of checks: the section that demands it, the answer, and when it is given. `grant_ends` is
 * the reason for which the grant ends as well.
 */
export type Check<Subject> = readonly [
  section: string,
  code: OAuthErrorCode,
  description: string,
  fails: (subject: Subject) => boolean,
  grant_ends?: string,
]

/** The first row that fails, or undefined. */
export function firstFailing<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): { error: OAuthError; grant_ends: string | undefined } | undefined {
  for (const [, code, description, fails, grant_ends] of checks) {
    if (fails(subject)) return { error: new OAuthError(code, description), grant_ends }
  }
  return undefined
}

/** Throws what the first failing row answers. */
export function refuseBy<Subject>(checks: readonly Check<Subject>[], subject: Subject): void {
  const failing = firstFailing(checks, subject)
  if (failing) throw failing.error
}
