import type { FastifyRequest } from 'fastify'
import type { Problem } from '#core/problems.ts'
import { errorBody, ScimError } from './errors.ts'

/** The service's own words for what went wrong. */
export interface Refusing {
  /** The problem that anything thrown is. */
  problemOf(error: unknown): Problem
  /** Headers of a refusal. */
  headersOf(problem: Problem, request: FastifyRequest): Record<string, string>
}

/** Problems of the service in SCIM's words, by their codes; others keep their status (design 11). */
const words: Readonly<Record<string, readonly [status: number, scim_type?: ScimError['scim_type']]>> = {
  email_in_use: [409, 'uniqueness'],
  name_in_use: [409, 'uniqueness'],
  validation_failed: [400, 'invalidValue'],
  malformed_json: [400, 'invalidSyntax'],
  malformed_request: [400, 'invalidSyntax'],
  reference_not_found: [400, 'invalidValue'],
  hierarchy_cycle: [400, 'invalidValue'],
  last_owner: [400, 'mutability'],
}

/** Anything thrown as SCIM tells it. */
export function refusalIn({ problemOf, headersOf }: Refusing, error: unknown, request: FastifyRequest) {
  if (error instanceof ScimError) {
    return { status: error.status, headers: {}, body: errorBody(error.status, error.scim_type, error.message) }
  }
  const problem = problemOf(error)
  request.problem = problem
  const [status, scim_type] = words[problem.definition.code] ?? [problem.definition.status]
  const { errors = [] } = problem.details
  const fields = errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  const detail = [problem.message, fields].filter(Boolean).join(' ')
  return { status, headers: headersOf(problem, request), body: errorBody(status, scim_type, detail) }
}
