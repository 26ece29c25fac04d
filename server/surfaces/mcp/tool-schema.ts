import { isRepeatable, type Operation } from '#core/operation.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { idPattern } from '#core/values/id.ts'
import { acceptedInput } from '../openapi/operation-object.ts'

type Json = Record<string, unknown>
type Fields = Record<string, Json>

/** Rows of a list when a call names no `limit`: a model reads what it is given. */
export const limit_default = 20

/** Formats that every JSON Schema library knows; the description tells of the others, and a strict library refuses them. */
const known_formats = new Set(['date', 'date-time', 'email', 'uri'])

const idempotency_key = { type: 'string', description: 'Key that makes a repeat safe.' }

/**
 * The arguments of a tool as a model needs them: the flat input of its operation and, where a repeat would do harm, a
 * key against it. Left out is what costs a reader more than it tells (patterns, lengths, fields that take nothing yet):
 * the operation checks all of it and says in words what is wrong. `sourceOf` names the tool that yields an id.
 */
export function inputSchemaOf(operation: Operation, sourceOf: (field: string) => string): Json {
  const accepted = acceptedInput(operation.input as unknown as Json)
  const told = Object.entries(operation.tool?.told ?? {}).map(([name, description]) => [
    name,
    { type: 'object', description },
  ])
  const fields = accepted.properties as Fields
  if ('idempotency_key' in fields) throw new Error(`${operation.id}: idempotency_key is an argument of every tool`)
  const { properties, ...rest } = argumentOf(accepted, sourceOf)
  return {
    ...rest,
    properties: {
      ...(properties as Fields),
      ...Object.fromEntries(told),
      ...(fields.limit && { limit: { ...argumentOf(fields.limit, sourceOf), default: limit_default } }),
      ...(isRepeatable(operation) && { idempotency_key }),
    },
    additionalProperties: false,
  }
}

function argumentOf(schema: Json, sourceOf: (field: string) => string, name = ''): Json {
  const { type = 'string', anyOf, enum: values, format, minimum, maximum, items, properties, description } = schema
  const { required = [] } = schema as { required?: string[] }
  if (anyOf) return nullable(argumentOf(unionValue(schema), sourceOf, name))
  return {
    type,
    ...(values !== undefined && { enum: values }),
    ...(known_formats.has(String(format)) && { format }),
    ...(Number(minimum) > 1 && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(items !== undefined && { items: { ...argumentOf(items as Json, sourceOf, name), description: undefined } }),
    ...(properties !== undefined && { properties: argumentsOf(properties as Fields, sourceOf) }),
    ...(required.length > 0 && { required }),
    ...(isId(schema) ? { description: sourceOf(name) } : { description }),
  }
}

function argumentsOf(fields: Fields, sourceOf: (field: string) => string): Fields {
  const taken = Object.entries(fields).filter(([, field]) => !takesNothing(field))
  return Object.fromEntries(taken.map(([name, field]) => [name, argumentOf(field, sourceOf, name)]))
}

function isId({ pattern }: Json): boolean {
  return pattern === idPattern
}

/** An object without fields: custom fields, as long as none can be defined. */
function takesNothing({ properties }: Json): boolean {
  return properties !== undefined && Object.keys(properties as Json).length === 0
}

/** The resource that an operation answers, alone or as the rows of a list. */
export function resourceOf({ output }: Operation): Json {
  return isPage(output) ? (output.properties.data.items as Json) : (output as unknown as Json)
}

/**
 * The schema of a tool's answer. `shown_by` is the tool whose schema has the resource whole: repeated at every tool
 * that answers one, or a list of them, these schemas were four fifths of the list of tools.
 */
export function outputSchemaOf({ definition, sensitive }: RegisteredOperation, shown_by: string | null): Json {
  const { type, properties } = definition.output as unknown as { type: unknown; properties: Fields }
  if (type !== 'object') throw new Error(`${definition.id}: what a tool answers is an object`)
  if ('withheld' in properties) throw new Error(`${definition.id}: withheld is what a tool adds to its answer`)
  const resource = shown_by === null ? outlinesOf(shownFields(definition)) : undefined
  const named = { type, ...(resource ? { properties: resource } : { description: `As ${shown_by} answers.` }) }
  const added = sensitive.categories.length > 0 ? { withheld } : {}
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

export function isPage(output: object): output is { properties: Fields & { data: Json } } {
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
  return {
    type,
    ...(items !== undefined && { items: outlineOf(items as Json) }),
    ...(names.length > 0 && { description: names.join(', ') }),
  }
}

/** The schema of a union that allows null, without the null; of several plain types one that allows each. */
function unionValue({ anyOf, description }: Json): Json {
  const [first = {}, ...others] = (anyOf as Json[]).filter(({ type }) => type !== 'null')
  const types = [first, ...others].map(({ type }) => type)
  const value = others.length === 0 ? first : { type: types }
  return description === undefined ? value : { ...value, description }
}

function nullable({ type, enum: values, ...rest }: Json): Json {
  return {
    type: [type, 'null'].flat(),
    ...(values !== undefined && { enum: [...(values as unknown[]), null] }),
    ...rest,
  }
}
