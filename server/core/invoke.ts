import type { Transaction } from '#db/database.ts'
import { answerOf, checkDeclared } from './answer.ts'
import { authorise } from './authorise.ts'
import type { Caller } from './caller.ts'
import { createContext } from './context.ts'
import { isMutation } from './operation.ts'
import { perform, performOnce } from './perform.ts'
import { notFound, validationFailed } from './problems/problems.ts'
import type { RegisteredOperation } from './registry.ts'
import type { Runtime } from './runtime.ts'

/** One call of an operation, as any surface makes it. */
export interface Call {
  operation: RegisteredOperation
  caller: Caller
  /** Flat input: path, query and body fields together. */
  input: unknown
  /** The input came as text (path and query) and is read by declared type. */
  from_text: boolean
  request_id: string
  trace_id: string | null
  address: string | null
  /** Which way in it took, for the audit log. */
  surface?: string
  idempotency_key?: string | undefined
  /** What the operation looked up beforehand; set by `invoke`. */
  prepared?: unknown
}

/** An answer before it has bytes. A kept refusal comes as an answer too, with its problem document as body. */
export interface Answer {
  status: number
  body: unknown
  replayed: boolean
  /** Path of the new resource, for `Location`. */
  location: string | null
  /** Categories of the answer's schema that the caller was not granted. */
  withheld: readonly string[]
}

export type Input = Record<string, unknown>

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
    return answerOf(runtime, call, input, await definition.handle(input, context))
  } catch (error) {
    checkDeclared(runtime, definition, error)
    throw error
  }
}

/** The input as the operation declares it, or the refusal of what it does not declare. */
export function validate({ operation, input, from_text }: Pick<Call, 'operation' | 'input' | 'from_text'>): Input {
  const result = operation.validate(input, from_text)
  const { definition, path_fields } = operation
  if (!result.ok) {
    // A malformed id in the path names nothing that exists.
    if (result.errors.some(({ pointer }) => path_fields.has(pointer.slice(1)))) throw notFound()
    throw validationFailed(undefined, { errors: result.errors })
  }
  if (definition.method === 'PATCH' && Object.keys(result.value).every((name) => path_fields.has(name))) {
    throw validationFailed('A change names at least one field.')
  }
  return result.value
}
