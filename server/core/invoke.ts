import type { Transaction } from '#db/database.ts'
import { answerOf, checkDeclared } from './answer.ts'
import { authorise } from './authorise.ts'
import type { Answer, Call, Input } from './call.ts'
import { createContext } from './context.ts'
import { isKnown } from './entity-tag.ts'
import { isMutation } from './operation.ts'
import { perform, performOnce } from './perform.ts'
import { notFound, validationFailed } from './problems/problems.ts'
import type { Runtime } from './runtime.ts'

/**
 * The one road into a handler: scopes → input → transaction (idempotency → handle → events → audit → kept answer) →
 * shape. Everything a call changes commits together or not at all; refusals are thrown as `Problem`.
 */
export async function invoke(runtime: Runtime, made: Call): Promise<Answer> {
  authorise(made.caller, made.operation.definition)
  const input = validate(made)
  const call = { ...made, prepared: await made.operation.definition.prepare?.(input, runtime.rooms) }
  const scope = { role: 'app', organization_id: call.caller.organization_id } as const
  if (!isMutation(call.operation.definition)) {
    const options = { ...scope, read_only: true, now: call.caller.resolved_at }
    return runtime.database.transaction(options, (tx) => read(runtime, call, input, tx))
  }
  return runtime.database.transaction(scope, (tx) =>
    call.idempotency_key === undefined ? perform(runtime, call, input, tx) : performOnce(runtime, call, input, tx),
  )
}

async function read(runtime: Runtime, call: Call, input: Input, tx: Transaction): Promise<Answer> {
  const { definition } = call.operation
  const { context } = createContext(runtime, call, tx, input)
  try {
    const answer = answerOf(runtime, call, input, await definition.handle(input, context))
    return isKnown(call.conditions ?? {}, answer.etag) ? { ...answer, status: 304, body: null } : answer
  } catch (error) {
    checkDeclared(runtime, definition, error)
    throw error
  }
}

/** The input as the operation declares it, or the refusal of what it does not declare. */
export function validate({
  operation,
  input,
  from_text,
  from_url = false,
}: Pick<Call, 'operation' | 'input' | 'from_text' | 'from_url'>): Input {
  const result = operation.validate(input, from_text)
  const { definition, path_fields } = operation
  if (!result.ok) {
    // A malformed id in an address names nothing that exists.
    if (from_url && result.errors.some(({ pointer }) => path_fields.has(pointer.slice(1)))) throw notFound()
    throw validationFailed(undefined, { errors: result.errors })
  }
  if (definition.method === 'PATCH' && Object.keys(result.value).every((name) => path_fields.has(name))) {
    throw validationFailed('A change names at least one field.')
  }
  return result.value
}
