import type { EventType } from './event.ts'
import { type Operation, pathFields } from './operation.ts'
import type { FieldError } from './problems/problem.ts'
import { compileWithholding, type Withholding } from './schema/sensitive.ts'
import { compileInput, compileOutput, type Validated } from './schema/validate.ts'

/** An operation made ready for calls: its schemas compiled once. */
export interface RegisteredOperation {
  readonly definition: Operation
  readonly path_fields: ReadonlySet<string>
  readonly sensitive: Withholding
  validate(input: unknown, fromText: boolean): Validated
  checkOutput(output: unknown): FieldError[]
}

export interface RegisteredEvent {
  readonly type: EventType
  readonly sensitive: Withholding
  checkEntry(entry: unknown): FieldError[]
}

export interface Registry {
  readonly operations: readonly RegisteredOperation[]
  readonly events: ReadonlyMap<string, RegisteredEvent>
  operation(id: string): RegisteredOperation
}

/** Compiles all operations and events; a duplicate id, route, event or tool and a path field without input stop the boot. */
export function createRegistry(definitions: readonly Operation[], events: readonly EventType[]): Registry {
  refuseDuplicates(
    'operation id',
    definitions.map(({ id }) => id),
  )
  refuseDuplicates(
    'route',
    definitions.map(({ method, path }) => `${method} ${path.replaceAll(/:[a-z_]+/g, ':')}`),
  )
  refuseDuplicates(
    'tool',
    definitions.flatMap(({ tool }) => (tool ? [tool.name] : [])),
  )
  refuseDuplicates(
    'event type',
    events.map(({ type }) => type),
  )
  const operations = definitions.map(register)
  const byId = new Map(operations.map((operation) => [operation.definition.id, operation]))
  const catalogue = new Map(events.map((type) => [type.type, registerEvent(type)]))
  for (const { id, emits = [] } of definitions) {
    const unknown = emits.find(({ type }) => !catalogue.has(type))
    if (unknown) throw new Error(`${id} emits ${unknown.type}, which is not in the catalogue`)
  }
  return {
    operations,
    events: catalogue,
    operation: (id) => {
      const found = byId.get(id)
      if (!found) throw new Error(`there is no operation ${id}`)
      return found
    },
  }
}

function register(definition: Operation): RegisteredOperation {
  const fields = pathFields(definition.path)
  const missing = fields.find((name) => !(name in definition.input.properties))
  if (missing) throw new Error(`${definition.id}: the path names ${missing}, the input does not`)
  if ((definition.input as { additionalProperties?: unknown }).additionalProperties !== false) {
    throw new Error(`${definition.id}: the input must be closed`)
  }
  return {
    definition,
    path_fields: new Set(fields),
    sensitive: compileWithholding(definition.output),
    validate: compileInput(definition.input),
    checkOutput: compileOutput(definition.output),
  }
}

function registerEvent(type: EventType): RegisteredEvent {
  return { type, sensitive: compileWithholding(type.entry), checkEntry: compileOutput(type.entry) }
}

function refuseDuplicates(what: string, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new Error(`${what} ${name} is defined twice`)
    seen.add(name)
  }
}
