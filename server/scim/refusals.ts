import type { FastifyRequest } from 'fastify'
import type { Problem } from '#core/problems.ts'

/** `has_type`: the name of the reason is the `scimType`; `source`: the section of the RFC that it follows. */
export type Reason = { readonly status: number; readonly has_type?: true; readonly source: string }

const typed = (source: string, status = 400): Reason => ({ status, has_type: true, source })
const plain = (status: number, source = 'RFC 7644 §3.12'): Reason => ({ status, source })

/** Every reason for which a request is refused; the guide says when each is met. */
export const refusals = {
  ...{ invalidFilter: typed('RFC 7644 §3.4.2.2'), tooMany: typed('RFC 7644 §3.12') },
  ...{ uniqueness: typed('RFC 7644 §3.3', 409), mutability: typed('RFC 7644 §3.5.2') },
  ...{ invalidSyntax: typed('RFC 7644 §3.12'), invalidPath: typed('RFC 7644 §3.5.2') },
  ...{ noTarget: typed('RFC 7644 §3.5.2'), invalidValue: typed('RFC 7644 §3.12') },
  ...{ invalidCursor: typed('RFC 9865 §2.1'), expiredCursor: typed('RFC 9865 §2.1') },
  ...{ invalidCount: typed('RFC 9865 §2.1'), malformed: plain(400), unauthenticated: plain(401, 'RFC 7644 §2') },
  ...{ forbidden: plain(403), filtered_discovery: plain(403, 'RFC 7644 §4'), not_found: plain(404) },
  ...{ method_not_allowed: plain(405, 'RFC 7644 §3.2'), timeout: plain(408), conflict: plain(409, 'RFC 7644 §3.7.1') },
  ...{ outdated: plain(412, 'RFC 7644 §3.14'), too_large: plain(413, 'RFC 7644 §3.7.4') },
  ...{ media_type: plain(415, 'RFC 7644 §3.1'), expectation: plain(417), rate: plain(429, 'RFC 7644 §7.4') },
  ...{ header_too_large: plain(431), fault: plain(500), no_me: plain(501, 'RFC 7644 §3.11'), unavailable: plain(503) },
} as const satisfies Record<string, Reason>

export type Refusal = keyof typeof refusals

/** A refusal in SCIM's own shape; its message names the attribute and what to do. */
export class ScimError extends Error {
  declare readonly refusal: Refusal
}

export const refuse = (refusal: Refusal, detail: string) => Object.assign(new ScimError(detail), { refusal })

/** Problems of the service that are told by more than their status. */
const told_as: Readonly<Record<string, Refusal>> = {
  ...{ email_in_use: 'uniqueness', name_in_use: 'uniqueness', last_owner: 'mutability' },
  ...{ validation_failed: 'invalidValue', reference_not_found: 'invalidValue', hierarchy_cycle: 'invalidValue' },
  ...{ malformed_json: 'invalidSyntax', malformed_request: 'invalidSyntax', invalid_cursor: 'invalidCursor' },
}

/** The reason that a problem of the service is told by: its own, else the one of its status. */
export function reasonOf({ code, status }: Problem['definition']): Refusal {
  // The cast holds because these are the names of the table.
  const names = Object.keys(refusals) as Refusal[]
  const of_status = names.find((name) => refusals[name].status === status && !('has_type' in refusals[name]))
  return told_as[code] ?? of_status ?? 'fault'
}

/** The service's own words for what went wrong: the problem that anything thrown is, and the headers of its refusal. */
export interface Refusing {
  problemOf(error: unknown): Problem
  headersOf(problem: Problem, request: FastifyRequest): Record<string, string>
}

/** A refusal as SCIM tells it (RFC 7644 §3.12). */
export function toldAs(refusal: Refusal, detail: string, headers: Record<string, string> = {}) {
  const { status, has_type, source }: Reason = refusals[refusal]
  const told = { status: String(status), ...(has_type && { scimType: refusal }), detail: `${detail} (${source})` }
  return { status, headers, body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], ...told } }
}

/** Anything thrown, told so. */
export function toldRefusal({ problemOf, headersOf }: Refusing, error: unknown, request: FastifyRequest) {
  if (error instanceof ScimError) return toldAs(error.refusal, error.message)
  const problem = problemOf(error)
  request.problem = problem
  const fields = problem.details.errors?.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`)
  // The words for a field that is at fault say more than those for all.
  const detail = fields?.join('; ').replaceAll('_id ', ' ') || problem.message
  return toldAs(reasonOf(problem.definition), detail, headersOf(problem, request))
}
