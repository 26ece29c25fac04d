import { isRepeatable, type Operation } from '#core/operation.ts'
import type { TSchema } from '#core/schema/schema.ts'
import { acceptedInput } from '../openapi/operation-object.ts'

type Json = Record<string, unknown>

/** Rows of a list when a call names no `limit`: a model reads what it is given. */
export const limit_default = 20

/** What only our own code reads, and titles, which say nothing that the name of the field does not. */
const left_out = new Set(['trim', 'set', 'x-sensitive', 'x-sensitive-when', 'title'])

/** Formats that every JSON Schema library knows; the description tells of the others, and a strict library refuses them. */
const known_formats = new Set(['date', 'date-time', 'email', 'uri'])

/** Every control character is refused: a rule of all texts, which would be repeated with each. */
const control_pattern = /\\u0000/

const idempotency_key = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'A text of your choice; the same call with the same key is made once.',
}

/** The arguments of a tool: the flat input of its operation and, where a repeat would do harm, a key against it. */
export function inputSchemaOf(operation: Operation): Json {
  const { properties, required, ...rest } = schemaOf(acceptedInput(operation.input as unknown as Json))
  const fields = properties as Record<string, Json>
  if ('idempotency_key' in fields) throw new Error(`${operation.id}: idempotency_key is an argument of every tool`)
  return {
    ...rest,
    properties: {
      ...fields,
      ...('limit' in fields && { limit: { ...fields.limit, default: limit_default } }),
      ...(isRepeatable(operation) && { idempotency_key }),
    },
    ...((required as string[]).length > 0 && { required }),
  }
}

export function outputSchemaOf(operation: Operation): Json {
  const schema = schemaOf(operation.output as TSchema as unknown as Json)
  if (schema.type !== 'object') throw new Error(`${operation.id}: what a tool answers is an object`)
  return schema
}

/** A schema of ours as any JSON Schema 2020-12 library takes it, without what costs a reader more than it tells. */
function schemaOf(schema: Json): Json {
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (left_out.has(key)) return false
    if (key === 'format') return known_formats.has(String(value))
    return !(key === 'pattern' && control_pattern.test(String(value)))
  })
  const isText = !('type' in schema) && Array.isArray(schema.enum)
  return {
    ...(isText && { type: 'string' }),
    ...Object.fromEntries(kept.map(([key, value]) => [key, inside(key, value)])),
  }
}

function inside(key: string, value: unknown): unknown {
  if (key === 'properties' || key === 'patternProperties') {
    return Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([name, child]) => [name, schemaOf(child)]),
    )
  }
  if (key === 'items') return schemaOf(value as Json)
  return key === 'anyOf' ? (value as Json[]).map(schemaOf) : value
}
