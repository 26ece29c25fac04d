import { ConnectionError, ProblemError } from '../../sdk/src/errors.ts'
import { exitStatus, type Flags } from '../command.ts'
import { reasonOf } from './client.ts'
import { Unconfigured } from './connection.ts'

/** Tells somebody why the service did not do it and what to do; undefined for an error of another kind. */
export function explainService(
  error: unknown,
  flags: Pick<Flags, 'json'>,
): { told: string; status: number } | undefined {
  if (error instanceof Unconfigured) return { told: inForm(error.message, flags), status: exitStatus.unauthorized }
  if (error instanceof ConnectionError)
    return { told: inForm(toldOfLost(error), flags), status: exitStatus.unreachable }
  if (!(error instanceof ProblemError)) return undefined
  const told = flags.json ? JSON.stringify(error.document) : linesOfProblem(error).join('\n')
  return { told, status: statusOf(error) }
}

/** With --json an error of this program has the member that a problem document has for its words. */
export function inForm(detail: string, { json }: Pick<Flags, 'json'>): string {
  return json ? JSON.stringify({ detail }) : detail
}

function statusOf({ status }: ProblemError): number {
  if (status === 401 || status === 403) return exitStatus.unauthorized
  return status === 429 || status >= 500 ? exitStatus.unreachable : exitStatus.refused
}

function toldOfLost({ cause, idempotency_key }: ConnectionError): string {
  const why = `no answer from the service: ${reasonOf(cause)}`
  return wasNeverSent.test(why) ? why : [why, ...againBy(idempotency_key)].join('\n')
}

const wasNeverSent = /ECONNREFUSED|ENOTFOUND|unknown authority/

function againBy(idempotency_key: string | null): string[] {
  return idempotency_key
    ? [
        `It may have been done. To finish it, and do nothing twice, call it again with --idempotency-key ${idempotency_key}`,
      ]
    : []
}

/** Next steps that the service cannot know, beside those of `detail`. */
const steps: Record<string, string> = {
  unauthenticated: 'Sign in anew with `stint login`, or set STINT_TOKEN.',
  insufficient_scope:
    'Sign in anew by `stint login --web` and allow it there, or `stint login` with a token that has it (`stint api-tokens create --help`).',
  precondition_failed: 'Its version now is what `--etag` of its get prints.',
}

function linesOfProblem(error: ProblemError): string[] {
  const { title, status, code, detail, errors, document, headers, request_id, idempotency_key } = error
  const { required_scopes } = document
  const wait_s = headers.get('retry-after')
  return [
    `${title} (${status} ${code})`,
    ...(detail === title ? [] : [detail]),
    ...errors.map(({ pointer, message }) => `  ${flagOf(pointer)}: ${message}`),
    ...(Array.isArray(required_scopes) && !required_scopes.every((scope) => detail.includes(scope))
      ? [`It takes one of these scopes: ${required_scopes.join(', ')}.`]
      : []),
    ...(wait_s ? [`Try again in ${wait_s} s.`] : []),
    ...(steps[code] ? [steps[code]] : []),
    ...(status >= 502 ? againBy(idempotency_key) : []),
    ...(request_id ? [`Request ${request_id}`] : []),
  ]
}

/** `/worker/first_name` → `--worker.first-name`. */
function flagOf(pointer: string): string {
  return pointer === '' ? 'the input' : `--${pointer.slice(1).replaceAll('/', '.').replaceAll('_', '-')}`
}
