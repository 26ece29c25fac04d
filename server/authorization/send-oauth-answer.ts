import type { FastifyReply } from 'fastify'
import { Problem } from '#core/problems/problem.ts'
import { internalError, unavailable } from '#core/problems/problems.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'

/** What an endpoint answers: JSON, a page, or nothing but status and headers. */
export interface OAuthAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: Record<string, unknown>
  /** A page as HTML, in place of `body`. */
  page?: string
}

export function sendOAuthAnswer(reply: FastifyReply, { status, headers = {}, body, page }: OAuthAnswer): FastifyReply {
  reply.code(status).headers(headers)
  if (page !== undefined) return reply.type('text/html; charset=utf-8').send(page)
  if (body === undefined) return reply.send()
  return reply.type('application/json').send(JSON.stringify(body))
}

/** The form of an error: JSON for programs, a page where a person looks at it. */
export type ShowError = (error: OAuthError) => Pick<OAuthAnswer, 'body' | 'page' | 'headers'>

export const errorAsJson: ShowError = ({ code, message }) => ({ body: { error: code, error_description: message } })

/** Sends whatever was thrown as an error of RFC 6749 §5.2; a fault of ours never looks like a bad credential. */
export function sendOAuthError(
  reply: FastifyReply,
  thrown: unknown,
  { bad_body, show }: { bad_body: OAuthErrorCode; show: ShowError },
): FastifyReply {
  const error = oauthErrorOf(thrown, bad_body)
  const { code, status } = error
  reply.request.problem = problemForLog(thrown, code, status)
  const retry = status === 503 ? { 'Retry-After': '5' } : {}
  const shown = show(error)
  return sendOAuthAnswer(reply, { ...shown, status, headers: { ...shown.headers, ...retry, ...error.headers } })
}

export function oauthErrorOf(error: unknown, bad_body: OAuthErrorCode = 'invalid_request'): OAuthError {
  if (error instanceof OAuthError) return error
  if (error instanceof DatabaseUnavailable) {
    return new OAuthError('temporarily_unavailable', 'server: is not available for the moment', { cause: error })
  }
  if (error instanceof Problem) return ofProblem(error)
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 413) return new OAuthError(bad_body, 'body: is larger than 64 KiB', { status })
  // What else the framework refuses is a body that cannot be read.
  if (status >= 400 && status < 500) return new OAuthError(bad_body, 'body: cannot be read')
  return new OAuthError('server_error', 'server: something went wrong', { cause: error })
}

function ofProblem(problem: Problem): OAuthError {
  const { status } = problem.definition
  const headers = problem.details.headers ?? {}
  if (status === 429) {
    return new OAuthError('temporarily_unavailable', 'request: too many of this kind', { status, headers })
  }
  if (status >= 500) return new OAuthError('server_error', 'server: something went wrong', { cause: problem })
  return new OAuthError('invalid_request', `request: ${problem.definition.title.toLowerCase()}`, { status, headers })
}

/** The canonical line of the log names the code, and the cause where it is ours. */
function problemForLog(error: unknown, code: OAuthErrorCode, status: number): Problem {
  if (error instanceof Problem) return error
  if (error instanceof OAuthError && error.isElsewhere) return unavailable(undefined, { is_elsewhere: true })
  if (status === 503) return unavailable(undefined, { cause: error })
  if (status >= 500) return internalError(undefined, { cause: error })
  return new Problem({ code, status, title: code, advice: '' })
}
