import { checkDeclared } from './answer.ts'
import { authorise } from './authorise.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { createContext } from './context.ts'
import { validate } from './invoke.ts'
import type { StreamPart } from './operation.ts'
import type { Runtime } from './runtime.ts'

export type StreamCall = Omit<Call, 'prepared' | 'idempotency_key'>

export interface OpenStream {
  /** What came since, as this caller may see it now: rights that were taken away since are gone at once. */
  read(caller: Caller): Promise<StreamPart>
}

/** The road into a stream, the same as into a handler: scopes → input → transaction → shape; the input is read once. */
export function openStream(runtime: Runtime, call: StreamCall, last_event_id: string | undefined): OpenStream {
  const { definition } = call.operation
  const input = validate(call)
  const reader = definition.stream?.(input, last_event_id)
  if (!reader) throw new Error(`${definition.id} has no stream`)
  return {
    async read(caller) {
      authorise(caller, definition)
      const { organization_id } = caller
      const now = { ...call, caller }
      return runtime.database.transaction({ role: 'app', organization_id, read_only: true }, async (tx) => {
        try {
          return shape(runtime, now, await reader.read(createContext(runtime, now, tx, input).context))
        } catch (error) {
          checkDeclared(runtime, definition, error)
          throw error
        }
      })
    },
  }
}

/** The rows of a part are held to the list's schema, and withheld from as its rows are. */
function shape(runtime: Runtime, { operation, caller }: StreamCall, part: StreamPart): StreamPart {
  const { data } = operation.sensitive.withhold({ data: part.items.map((item) => item.data) }, caller.sensitive_data)
  const page = { data, cursor: part.position, has_more: part.has_more, total_count: data.length }
  const errors = runtime.strict ? operation.checkOutput(page) : []
  if (errors.length > 0) {
    throw new Error(`${operation.definition.id} streams against its schema: ${JSON.stringify(errors)}`)
  }
  return { ...part, items: part.items.map(({ id }, index) => ({ id, data: data[index] })) }
}
