import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { isMutation, isRepeatable, type Method, type Operation, type ToolDefinition } from '#core/operation.ts'
import type { RegisteredOperation, Registry } from '#core/registry.ts'
import { CalendarDate, Email, PageInput, Timestamp } from '#core/schema/schema.ts'
import { idPattern } from '#core/values.ts'

export type Tool = ReturnType<typeof toolOf>

const description_characters_max = 600
const paging_rule = 'While `has_more`, pass `cursor`.'

/** An operation that is a tool. */
type Offered = RegisteredOperation & { definition: { tool: ToolDefinition<unknown> } }

/** Every tool of the registry by name, in the order of the names; made once, at the start. */
export function toolsOf({ operations }: Pick<Registry, 'operations'>): ReadonlyMap<string, Tool> {
  const offered = operations
    .filter((operation): operation is Offered => operation.definition.tool !== undefined)
    .sort((a, b) => (a.definition.tool.name < b.definition.tool.name ? -1 : 1))
  return new Map(offered.map((operation) => [operation.definition.tool.name, toolOf(operation, offered)]))
}

/** An operation as a tool. */
function toolOf(operation: Offered, offered: readonly Offered[]) {
  const { definition } = operation
  const { id, method, summary, input, tool } = definition
  const is_list = 'limit' in input.properties && 'cursor' in input.properties
  const sourceOf = (field: string) => sourceIn(offered, operation, field)
  const listed = {
    name: tool.name,
    title: summary,
    description: descriptionOf(tool, is_list),
    inputSchema: inputSchemaOf(definition, sourceOf),
    outputSchema: outputSchemaOf(operation, shownBy(operation, offered)),
    annotations: annotationsOf(method, tool),
  }
  return {
    name: tool.name,
    title: summary,
    operation,
    /** The resource it belongs to: the first part of the operation's id. */
    toolset: id.split('.')[0] ?? '',
    is_readonly: method === 'GET',
    /** Wants the digest of a dry run. */
    needs_confirm: tool.needs_confirm ?? false,
    /** Takes `limit` and `cursor`. */
    is_list,
    /** Fields that rows of the answer are shown without. */
    omits: tool.omits ?? [],
    /** Says of an id among the arguments which tool yields it. */
    sourceOf,
    /** Its entry in `tools/list`, as JSON. */
    listed: JSON.stringify(listed),
  }
}

function descriptionOf({ name, text, example }: ToolDefinition<unknown>, is_list: boolean): string {
  const parts = [text, ...(is_list ? [paging_rule] : []), ...(example ? [`Example: ${JSON.stringify(example)}`] : [])]
  const description = parts.join(' ')
  if (!/^[a-z]+(_[a-z]+)+$/.test(name) || name.length > 64) throw new Error(`${name} is no name for a tool`)
  if (description.length > description_characters_max) throw new Error(`the text of ${name} is too long`)
  if (name.startsWith('create_') && !example) throw new Error(`${name} creates something and has no example`)
  return description
}

/** The tool that yields the ids of a field (`invoice_id`, `invoice_ids`), among those that the same callers can use. */
function sourceIn(offered: readonly Offered[], { definition }: Offered, field: string): string {
  const sources = offered.flatMap(({ definition: { scopes, tool } }) => {
    const place = tool.yields?.[field.replace(/_ids$/, '_id')]
    return place && isForWorkers({ scopes }) === isForWorkers(definition) ? [`${place} of ${tool.name}`] : []
  })
  if (sources.length === 0) throw new Error(`no tool yields ${field}, which ${definition.tool.name} takes`)
  // A list that yields such rows suffices.
  const own = sources.filter((source) => /^id of list_/.test(source))
  return (own.length > 0 ? own : sources).join(' or ')
}

const isForWorkers = ({ scopes }: Pick<Operation, 'scopes'>) => scopes.some((scope) => scope.startsWith('worker:'))

/**
 * The tool whose schema has the resource of another one whole: that which gets a single one, else the first by name.
 * Null for that tool itself.
 */
function shownBy(operation: Offered, offered: readonly Offered[]): string | null {
  const { title } = resourceOf(operation.definition)
  const same = offered.filter(({ definition }) => title !== undefined && resourceOf(definition).title === title)
  const single = same.find(({ definition: { method, output } }) => method === 'GET' && !isPage(output))
  const [shown = operation] = single ? [single] : same
  return shown === operation ? null : shown.definition.tool.name
}

const harmless_verbs = new Set(['create', 'submit', 'request'])

/** Says all four, because a client without them assumes the worst before it asks its user. */
export function annotationsOf(method: Method, { name, outside }: ToolDefinition<unknown>): ToolAnnotations {
  const is_readonly = method === 'GET'
  const isNew = method === 'POST' && harmless_verbs.has(name.split('_')[0] ?? '')
  return {
    readOnlyHint: is_readonly,
    destructiveHint: !is_readonly && !isNew,
    idempotentHint: method !== 'POST',
    openWorldHint: outside ?? false,
  }
}

type Json = Record<string, unknown>
type Fields = Record<string, Json>

/** Rows of a list when a call names no `limit`: a model reads what it is given. */
export const limit_default = 20

/** Formats that every JSON Schema library knows; the description tells of the others, and a strict library refuses them. */
const known_formats = new Set(['date', 'date-time', 'email', 'uri'])

/** Descriptions that say no more than the name and the format beside them. */
const of_formats = new Set(
  [CalendarDate, Timestamp, Email, PageInput.updated_after].map((type) => 'description' in type && type.description),
)

const cursor = { type: 'string', description: 'Of the last page.' }
const idempotency_key = { type: 'string', description: 'Makes a repeat safe.' }
const dry_run = { type: 'boolean', description: 'Only tell.' }
const confirm = {
  type: 'string',
  description: 'Digest of the dry run that the user agreed to; without it nothing is done.',
}

/**
 * The arguments of a tool as a model needs them: the flat input of its operation and, where a repeat would do harm, a
 * key against it. Left out is what costs a reader more than it tells (patterns, lengths, fields that take nothing yet):
 * the operation checks all of it and says in words what is wrong. `sourceOf` names the tool that yields an id.
 */
function inputSchemaOf(operation: Operation, sourceOf: (field: string) => string): Json {
  const { input, tool } = operation
  const told = Object.entries(tool?.told ?? {})
  const fields = input.properties as unknown as Fields
  const taken = ['idempotency_key', 'dry_run', 'confirm'].find((name) => name in fields)
  if (taken) throw new Error(`${operation.id}: ${taken} is an argument of every tool`)
  const { properties, ...rest } = argumentOf(input as unknown as Json, sourceOf)
  return {
    ...rest,
    properties: {
      ...(properties as Fields),
      ...Object.fromEntries(told.map(([name, description]) => [name, { type: 'object', description }])),
      limit: fields.limit && { ...argumentOf(fields.limit, sourceOf), default: limit_default },
      cursor: fields.cursor && cursor,
      idempotency_key: isRepeatable(operation) ? idempotency_key : undefined,
      ...(isMutation(operation) &&
        !operation.spans_transactions && { dry_run, ...(tool?.needs_confirm && { confirm }) }),
    },
    additionalProperties: false,
  }
}

function argumentOf(schema: Json, sourceOf: (field: string) => string, name = ''): Json {
  const { type = 'string', anyOf, enum: values, format, minimum, maximum, items, properties } = schema
  const {
    required = [],
    pattern,
    description,
  } = schema as { required?: string[]; pattern?: string; description?: string }
  const fields = (properties ?? {}) as Fields
  const needed = required.filter((field) => !('default' in (fields[field] ?? {})))
  if (anyOf) return nullable(argumentOf(unionValue(schema), sourceOf, name))
  return {
    type,
    enum: values,
    format: known_formats.has(String(format)) ? format : undefined,
    minimum: Number(minimum) > 1 ? minimum : undefined,
    maximum,
    items: items && { ...argumentOf(items as Json, sourceOf, name), description: undefined },
    properties: properties && argumentsOf(fields, sourceOf),
    required: needed.length > 0 ? needed : undefined,
    description: pattern === idPattern ? sourceOf(name) : of_formats.has(description) ? undefined : description,
  }
}

/** Leaves out objects without fields. */
function argumentsOf(fields: Fields, sourceOf: (field: string) => string): Fields {
  const taken = Object.entries(fields).filter(([, { properties }]) => !properties || Object.keys(properties).length > 0)
  return Object.fromEntries(taken.map(([name, field]) => [name, argumentOf(field, sourceOf, name)]))
}

/** The resource that an operation answers, alone or as the rows of a list. */
function resourceOf({ output }: Operation): Json {
  return isPage(output) ? (output.properties.data.items as Json) : (output as unknown as Json)
}

/**
 * The schema of a tool's answer. `shown_by` is the tool whose schema has the resource whole: repeated at every tool
 * that answers one, or a list of them, these schemas were four fifths of the list of tools.
 */
function outputSchemaOf({ definition, sensitive }: RegisteredOperation, shown_by: string | null): Json {
  const { type, properties } = definition.output as unknown as { type: unknown; properties: Fields }
  if (type !== 'object') throw new Error(`${definition.id}: what a tool answers is an object`)
  if ('withheld' in properties) throw new Error(`${definition.id}: withheld is what a tool adds to its answer`)
  const resource = shown_by === null ? outlinesOf(shownFields(definition)) : undefined
  const named = { type, ...(resource ? { properties: resource } : { description: `As ${shown_by} answers.` }) }
  const added = resource && sensitive.categories.length > 0 ? { withheld } : {}
  if (!isPage(definition.output)) return resource ? { type, properties: { ...resource, ...added } } : named
  const { data: _, ...envelope } = definition.output.properties
  const shown = { data: { type: 'array', items: named }, ...outlinesOf(envelope) }
  return { type, properties: { ...shown, ...added } }
}

function shownFields(definition: Operation): Fields {
  const { omits = [] } = definition.tool ?? {}
  const fields = Object.entries(resourceOf(definition).properties as Fields)
  return Object.fromEntries(fields.filter(([name]) => !omits.includes(name)))
}

/** The fields that are null because the connection lacks their category, by category. */
const withheld = { type: 'object' }

function isPage(output: object): output is { properties: Fields & { data: Json } } {
  const { properties = {} } = output as { properties?: Fields }
  return 'data' in properties && 'has_more' in properties
}

/** The fields of an answer with their types; of objects inside they are only named. Enough to read it by, and true. */
function outlinesOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, outlineOf(field)]))
}

function outlineOf(schema: Json): Json {
  const { type = 'string', anyOf, items, properties } = schema
  if (anyOf) return nullable(outlineOf(unionValue(schema)))
  const names = Object.keys((properties ?? {}) as Fields)
  return { type, items: items && outlineOf(items as Json), description: names.join(', ') || undefined }
}

/** The schema of a union that allows null, without the null; of several plain types one that allows each. */
function unionValue({ anyOf, description }: Json): Json {
  const [first = {}, ...others] = (anyOf as Json[]).filter(({ type }) => type !== 'null')
  const types = [first, ...others].map(({ type }) => type)
  const value = others.length === 0 ? first : { type: types }
  return description === undefined ? value : { ...value, description }
}

function nullable({ type, enum: values, ...rest }: Json): Json {
  return { type: [type, 'null'].flat(), enum: values && [...(values as unknown[]), null], ...rest }
}
