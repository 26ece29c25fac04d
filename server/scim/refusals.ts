import type { FastifyRequest } from 'fastify'
import type { Problem } from '#core/problems.ts'

/** `has_type`: the name of the reason is the `scimType`; `source`: the section that asks for it. */
interface Reason {
  readonly status: number
  readonly has_type?: true
  readonly when: string
  readonly source: string
}

const typed = (when: string, source: string, status = 400): Reason => ({ status, has_type: true, when, source })
const plain = (status: number, when: string, source: string): Reason => ({ status, when, source })

/** Every reason for which a request is refused: its status, and the section of the RFC that it follows. */
export const refusals = {
  invalidFilter: typed('the filter is malformed, past a limit, or names no attribute', 'RFC 7644 §3.4.2.2'),
  tooMany: typed('the filter takes longer than 2 s, a PATCH has more than 1,000 operations', 'RFC 7644 §3.12'),
  uniqueness: typed('the userName, or the displayName of a group, is taken', 'RFC 7644 §3.3', 409),
  mutability: typed('a read-only attribute, a required one removed, the last owner closed', 'RFC 7644 §3.5.2'),
  invalidSyntax: typed('the body is no JSON object, or of another schema', 'RFC 7644 §3.12'),
  invalidPath: typed('a path of PATCH or of sortBy names no attribute', 'RFC 7644 §3.5.2'),
  noTarget: typed('no value satisfies the filter of a path, or `remove` has no path', 'RFC 7644 §3.5.2'),
  invalidValue: typed('a value is missing, of another type, too long, or names nobody', 'RFC 7644 §3.12'),
  invalidCursor: typed('the cursor is of another query, or altered', 'RFC 9865 §2.1'),
  expiredCursor: typed('the cursor is older than an hour', 'RFC 9865 §2.1'),
  invalidCount: typed('a page by cursor is asked for with a count that cannot be', 'RFC 9865 §2.1'),
  malformed: plain(400, 'a request that is no valid HTTP', 'RFC 7644 §3.12'),
  unauthenticated: plain(401, 'no credential, or one that does not hold', 'RFC 7644 §2'),
  forbidden: plain(403, 'a scope is missing, the credential is a person’s, or the way is not HTTPS', 'RFC 7644 §3.12'),
  filtered_discovery: plain(403, 'a discovery document is asked for with a filter', 'RFC 7644 §4'),
  not_found: plain(404, 'the resource or the path does not exist, or is of another organization', 'RFC 7644 §3.12'),
  method_not_allowed: plain(405, 'the path does not take the method; `Allow` names those it takes', 'RFC 7644 §3.2'),
  timeout: plain(408, 'the request does not arrive in time', 'RFC 7644 §3.12'),
  conflict: plain(409, 'a hidden namesake, a group in use, a `bulkId` that nothing resolves', 'RFC 7644 §3.7.1'),
  outdated: plain(412, '`If-Match` is not the version of the resource', 'RFC 7644 §3.14'),
  too_large: plain(413, 'the body has more than 1 MiB, or a bulk request more than 500 operations', 'RFC 7644 §3.7.4'),
  media_type: plain(415, 'the body is neither SCIM nor JSON in UTF-8', 'RFC 7644 §3.1'),
  expectation: plain(417, '`Expect` asks for more than `100-continue`', 'RFC 7644 §3.12'),
  rate: plain(429, 'more requests than the credential may make; `Retry-After` says when', 'RFC 7644 §7.4'),
  header_too_large: plain(431, 'the header is too large', 'RFC 7644 §3.12'),
  fault: plain(500, 'a fault of the service, known by its `Request-Id`', 'RFC 7644 §3.12'),
  no_me: plain(501, '`/Me`: a credential of an organization has no user', 'RFC 7644 §3.11'),
  unavailable: plain(503, 'the database does not answer', 'RFC 7644 §3.12'),
} as const satisfies Record<string, Reason>

export type Refusal = keyof typeof refusals

/** A refusal in SCIM's own shape; its message names the attribute and what to do. */
export class ScimError extends Error {
  declare readonly refusal: Refusal
}

export const refuse = (refusal: Refusal, detail: string) => Object.assign(new ScimError(detail), { refusal })

/** Problems of the service that are told by more than their status. */
const told_as: Readonly<Record<string, Refusal>> = {
  email_in_use: 'uniqueness',
  name_in_use: 'uniqueness',
  validation_failed: 'invalidValue',
  malformed_json: 'invalidSyntax',
  malformed_request: 'invalidSyntax',
  invalid_cursor: 'invalidCursor',
  reference_not_found: 'invalidValue',
  hierarchy_cycle: 'invalidValue',
  last_owner: 'mutability',
}

/** The reason that a problem of the service is told by: its own, else the one of its status. */
export function reasonOf({ code, status }: Problem['definition']): Refusal {
  // The cast holds because these are the names of the table.
  const names = Object.keys(refusals) as Refusal[]
  const of_status = names.find((name) => refusals[name].status === status && !('has_type' in refusals[name]))
  return told_as[code] ?? of_status ?? 'fault'
}

/** The service's own words for what went wrong. */
export interface Refusing {
  /** The problem that anything thrown is. */
  problemOf(error: unknown): Problem
  /** Headers of a refusal. */
  headersOf(problem: Problem, request: FastifyRequest): Record<string, string>
}

const error_urn = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** A refusal as SCIM tells it; `status` is a text (RFC 7644 §3.12). */
export function toldAs(refusal: Refusal, detail: string) {
  const { status, has_type }: Reason = refusals[refusal]
  return {
    status,
    body: { schemas: [error_urn], status: String(status), ...(has_type && { scimType: refusal }), detail },
  }
}

/** Anything thrown, told so. */
export function toldRefusal({ problemOf, headersOf }: Refusing, error: unknown, request: FastifyRequest) {
  if (error instanceof ScimError) return { ...toldAs(error.refusal, error.message), headers: {} }
  const problem = problemOf(error)
  request.problem = problem
  const { errors = [] } = problem.details
  const fields = errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  const detail = [problem.message, fields].filter(Boolean).join(' ')
  return { ...toldAs(reasonOf(problem.definition), detail), headers: headersOf(problem, request) }
}
