import { checkDeclared } from './answer.ts'
import { authorise } from './authorise.ts'
import type { Caller } from './caller.ts'
import { createContext } from './context.ts'
import { type Call, validate } from './invoke.ts'
import type { Context } from './operation.ts'
import type { Runtime } from './runtime.ts'

/** One row of a list, told when it came or changed. */
export interface StreamItem {
  /** Where a client that has seen this one goes on. */
  id: string
  /** Shaped as the rows of the list. */
  data: unknown
}

export interface StreamPart {
  /** Oldest first. */
  items: StreamItem[]
  /** Where a client goes on that has seen all of this. */
  position: string
  /** More is there already. */
  has_more: boolean
}

/** Follows one list for one client and remembers how far it has come. */
export interface StreamReader {
  /** What came since the last read. Called again and again, each time in a transaction of its own. */
  read(context: Context): Promise<StreamPart>
}

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
