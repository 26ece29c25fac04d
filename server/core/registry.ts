import { type EventType, fieldsOf, isQuery, isRepeatable, type Operation, pathFields } from './operation.ts'
import { compileWithholding } from './schema/fields.ts'
import { compileInput, compileOutput } from './schema/validate.ts'

/** An operation made ready for calls: its schemas compiled once. */
export interface RegisteredOperation extends ReturnType<typeof compile> {
  /** The read of the single resource that this reads or acts on, if there is one. */
  readonly target: RegisteredOperation | null
  /** The read of the single resource that the answer shows whole: what was read, changed, or made at a place of its own. */
  readonly shown: RegisteredOperation | null
}

export type RegisteredEvent = ReturnType<typeof registerEvent>
export type Registry = ReturnType<typeof createRegistry>

/** Compiles all operations and events; a duplicate id, route, event or tool and a path field without input stop the boot. */
export function createRegistry(definitions: readonly Operation[], events: readonly EventType[]) {
  const routes = definitions.map(({ method, path }) => `${method} ${path.replaceAll(/:[a-z_]+/g, ':')}`)
  const ids = definitions.map(({ id }) => id)
  const tools = definitions.flatMap(({ tool }) => (tool ? [tool.name] : []))
  const types = events.map(({ type }) => type)
  const unique = { 'operation id': ids, route: routes, tool: tools, 'event type': types }
  for (const [what, names] of Object.entries(unique)) {
    const twice = names.find((name, place) => names.indexOf(name) !== place)
    if (twice) throw new Error(`${what} ${twice} is defined twice`)
  }
  const reads = definitions.filter(isSingleRead).map((definition) => register(definition, []))
  const operations = definitions.map((definition) => register(definition, reads))
  const byId = new Map(operations.map((operation) => [operation.definition.id, operation]))
  const catalogue = new Map(events.map((type) => [type.type, registerEvent(type)]))
  for (const { id, emits = [] } of definitions) {
    const unknown = emits.find(({ type }) => !catalogue.has(type))
    if (unknown) throw new Error(`${id} emits ${unknown.type}, which is not in the catalogue`)
  }
  return {
    operations,
    events: catalogue,
    operation: (id: string): RegisteredOperation => {
      const found = byId.get(id)
      if (!found) throw new Error(`there is no operation ${id}`)
      return found
    },
  }
}

/** A read that answers one resource itself: no page, and no secret, which is nobody's to keep. */
function isSingleRead(operation: Operation): boolean {
  const fields = fieldsOf(operation)
  return operation.method === 'GET' && fields.length > 0 && !fields.includes('has_more') && !operation.reveals_secret
}

function targetOf(reads: readonly RegisteredOperation[], own: Operation): RegisteredOperation | null {
  const { id, method, path, acts_on } = own
  const isTarget = ({ definition }: RegisteredOperation) =>
    acts_on === undefined
      ? path === definition.path || (method !== 'GET' && path.startsWith(`${definition.path}/`))
      : definition.id === acts_on
  const target = reads.filter(isTarget).sort((a, b) => b.definition.path.length - a.definition.path.length)[0]
  if (acts_on !== undefined && !target) throw new Error(`${id} acts on ${acts_on}, which reads no single resource`)
  if (target && method !== 'GET' && !target.definition.lock) {
    throw new Error(`${id} changes what ${target.definition.id} reads, which has no lock`)
  }
  return target ?? null
}

function shownBy(reads: readonly RegisteredOperation[], own: Operation, target: RegisteredOperation | null) {
  const shown = own.status === 201 ? readOfMade(reads, own) : target
  const fields = fieldsOf(own)
  return shown && fieldsOf(shown.definition).every((name) => fields.includes(name)) ? shown : null
}

function readOfMade(reads: readonly RegisteredOperation[], { path, location }: Operation): RegisteredOperation | null {
  const any = new Proxy({}, { get: () => 'id' })
  const made = location?.(any, any) ?? `${path}/id`
  const pattern = (template: string) => new RegExp(`^${template.replaceAll(/:[a-z_]+/g, '[^/]+')}$`)
  return reads.find(({ definition }) => pattern(definition.path).test(made)) ?? null
}

function register(definition: Operation, reads: readonly RegisteredOperation[]): RegisteredOperation {
  const { id, path, input, reveals_secret } = definition
  const missing = pathFields(path).find((name) => !(name in input.properties))
  if (missing) throw new Error(`${id}: the path names ${missing}, the input does not`)
  if ((input as { additionalProperties?: unknown }).additionalProperties !== false) {
    throw new Error(`${id}: the input must be closed`)
  }
  if (reveals_secret && isRepeatable(definition) && !reveals_secret.stands) {
    throw new Error(`${id} does not say how long its secret stands`)
  }
  const target = targetOf(reads, definition)
  return { ...compile(definition), target, shown: shownBy(reads, definition, target) }
}

function compile(definition: Operation) {
  const { path, input, output } = definition
  return {
    definition,
    path_fields: new Set(pathFields(path)) as ReadonlySet<string>,
    /** Fields of the answer. */
    fields: fieldsOf(definition),
    is_query: isQuery(definition),
    is_repeatable: isRepeatable(definition),
    may_be_behind: mayBeBehind(definition),
    sensitive: compileWithholding(output),
    /** Fields in which the service notes the use of what this reads. */
    observed: compileWithholding(output, 'x-observed'),
    validate: compileInput(input),
    checkOutput: compileOutput(output),
  }
}

/** True for lists and exports, which a replica may answer. What reads one resource reads it as it is. */
function mayBeBehind({ method, input, file }: Operation): boolean {
  return method === 'GET' && ('cursor' in input.properties || file?.media_type.startsWith('text/csv') === true)
}

function registerEvent(type: EventType) {
  return { type, sensitive: compileWithholding(type.entry), checkEntry: compileOutput(type.entry) }
}
