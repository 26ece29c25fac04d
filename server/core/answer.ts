import type { Answer, Call, Input } from './call.ts'
import { entityTag } from './entity-tag.ts'
import type { KeptAnswer } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problems/problem.ts'
import { problemsOf } from './problems/problems-of.ts'
import type { Runtime } from './runtime.ts'

/** Shapes what a handler gave: withheld fields become null, and in strict mode the schema is held to its word. */
export function answerOf(runtime: Runtime, call: Call, input: Input, output: unknown): Answer {
  const { operation, caller } = call
  const { status = 200 } = operation.definition
  const body = status === 204 ? null : operation.sensitive.withhold(output, caller.sensitive_data)
  const errors = runtime.strict && status !== 204 ? operation.checkOutput(body) : []
  if (errors.length > 0)
    throw new Error(`${operation.definition.id} answers against its schema: ${JSON.stringify(errors)}`)
  return framed(call, input, status, body)
}

/** A kept answer for a repeat. What this caller may not see is withheld anew: the first may have been granted more. */
export function replayOf(call: Call, input: Input, { status, body }: Omit<KeptAnswer, 'secret'>): Answer {
  const shown = call.operation.sensitive.withhold(body, call.caller.sensitive_data)
  return { ...framed(call, input, status, shown), replayed: true }
}

/** An answer with everything that follows from the operation, not from the handler. */
function framed(call: Call, input: Input, status: number, body: unknown): Answer {
  const { definition, sensitive, shown } = call.operation
  const { location, path } = definition
  const made = status === 201 && body ? (location?.(body, input) ?? defaultLocation(path, input, body)) : null
  return {
    status,
    body,
    replayed: false,
    location: made,
    etag: shown && body ? entityTag(shown, body) : null,
    withheld: sensitive.withheld(call.caller.sensitive_data),
  }
}

function defaultLocation(path: string, input: Input, output: unknown): string {
  const filled = path.replaceAll(/:([a-z_]+)/g, (_, name: string) => String(input[name]))
  return `${filled}/${(output as { id?: string }).id}`
}

/** A problem as its document (RFC 9457) with its status. */
export function refusalOf(
  { problem_base }: Pick<Runtime, 'problem_base'>,
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

/** In strict mode a handler may only refuse with what its operation declares, so that the reference tells the truth. */
export function checkDeclared({ strict }: Pick<Runtime, 'strict'>, operation: Operation, error: unknown): void {
  if (!strict || !(error instanceof Problem)) return
  if (!problemsOf(operation).some(({ definition }) => definition === error.definition)) {
    throw new Error(`${operation.id} refused with ${error.definition.code}, which it does not declare`, {
      cause: error,
    })
  }
}
