import type { Scope } from '#core/caller.ts'
import { scopes } from '#identity/scopes.ts'
import type { Addresses, Resource } from './addresses.ts'

/**
 * Parameters of a request to an OAuth endpoint, from query or form. Those without a value count as absent and unknown
 * ones are never looked at; one that is read must not have been sent twice (RFC 6749 §3.1).
 */
export class Parameters {
  readonly #sent: URLSearchParams

  constructor(encoded: string) {
    this.#sent = new URLSearchParams(encoded)
  }

  /** The value, or undefined when it is absent. */
  get(name: string): string | undefined {
    const [value, ...more] = this.all(name)
    if (more.length > 0) throw new OAuthError('invalid_request', `${name}: must be sent once`)
    return value
  }

  require(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `${name}: is missing`)
    return value
  }

  /** Every value, for the one parameter that may be repeated: `resource` (RFC 8707 §2). */
  all(name: string): readonly string[] {
    const values = this.#sent.getAll(name).filter((value) => value !== '')
    // No column of the database can hold a NUL; every other character of a decoded form can be stored.
    if (values.some((value) => value.includes('\0'))) {
      throw new OAuthError('invalid_request', `${name}: has characters that are not allowed`)
    }
    return values
  }
}

/** Scopes of OpenID Connect, which clients ask for by habit; there is no such provider here, and they are ignored. */
const ignored = new Set(['openid', 'profile', 'email', 'offline_access'])

/** The scopes of a space-separated text (RFC 6749 §3.3), each once; null when one of them is not known here. */
export function scopesIn(text: string): Scope[] | null {
  const names = namesIn(text)
  const found = knownScopesIn(text)
  return found.length === names.length ? found : null
}

/** Those of the scopes that are known here. */
export function knownScopesIn(text: string): Scope[] {
  return namesIn(text).flatMap((name) => scopes.find((known) => known === name) ?? [])
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(' '))].filter((name) => name !== '' && !ignored.has(name))
}

const address_form = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?$/i

/** Our own filters on the tool server's address, which clients keep when they name the resource. */
const filters = new Set(['toolsets', 'readonly'])

/** The resource that a request names (RFC 8707 §2); undefined when it names none. Several are several grants. */
export function resourceIn(parameters: Parameters, addresses: Addresses): Resource | undefined {
  const named = new Set(parameters.all('resource').map((text) => resourceAt(text, addresses)))
  const [resource, ...more] = named
  if (named.size === 0) return undefined
  if (resource === undefined || resource === null || more.length > 0) {
    throw new OAuthError('invalid_target', 'resource: must be the address of one resource of this server')
  }
  return resource
}

/** Scheme and host in any case, with or without one slash at the end. A bare origin is not enough: two resources live there. */
function resourceAt(text: string, { base_url, mcp_url }: Addresses): Resource | null {
  const [, origin = '', path = '', query] = address_form.exec(text) ?? []
  const address = `${origin.toLowerCase()}${path.endsWith('/') ? path.slice(0, -1) : path}`
  if (address === mcp_url && isFilter(query)) return 'mcp'
  return address === base_url && query === undefined ? 'rest' : null
}

function isFilter(query: string | undefined): boolean {
  return query === undefined || [...new URLSearchParams(query).keys()].every((name) => filters.has(name))
}

/** `x:write` covers `x:read`. */
export function isCovered(scope: string, held: readonly string[]): boolean {
  return held.includes(scope) || (scope.endsWith(':read') && held.includes(scope.replace(/:read$/, ':write')))
}

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
    const retry = this.status === 503 ? { 'Retry-After': '5' } : {}
    this.headers = { ...challenge, ...retry, ...options.headers }
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
