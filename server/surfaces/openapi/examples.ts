import { Value } from 'typebox/value'
import type { Operation } from '#core/operation.ts'
import type { ProblemDefinition } from '#core/problems.ts'
import { exampleOfField } from '#core/schema/fields.ts'
import type { TSchema } from '#core/schema/schema.ts'
import type { Json } from './components.ts'
import { bodyExamples, values } from './example-values.ts'

/** A request body as a caller might send it; without one of its own, an operation's example names what is required. */
export function requestExample({ id }: Operation, body: Json): unknown {
  return bodyExamples[id] ?? exampleOf(body, { operation: id, fields: [] }, false)
}

/** The answer of success, with every field it can have. */
export function answerExample({ id, output }: Operation): unknown {
  return exampleOf(output as unknown as Json, { operation: id, fields: [] }, true)
}

export function problemExample({ code, status, title, advice }: ProblemDefinition, problem_base: string): Json {
  return {
    ...{ type: `${problem_base}/${code}`, title, status, detail: advice, code, request_id: values.request_id },
    ...(code === 'insufficient_scope' && { required_scopes: ['contracts:write'] }),
    ...(code === 'validation_failed' && { errors: [{ pointer: '/title', message: 'is required' }] }),
  }
}

interface Place {
  operation: string
  /** Names from the body inwards, without the `data` of an envelope. */
  fields: readonly string[]
}

/**
 * A value that the schema allows, in the words of `example-values.ts`. Text without a value of its own is a mistake of
 * ours, which the document's tests find.
 */
function exampleOf(schema: Json, place: Place, withOptional: boolean): unknown {
  const { anyOf, items, properties } = schema as { anyOf?: Json[]; items?: Json; properties?: Record<string, Json> }
  const known = keysOf(place).find((key) => key in values && Value.Check(schema as TSchema, values[key]))
  if (known !== undefined) return values[known]
  const given = exampleOfField(schema)
  if (given !== undefined) return given
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const branch = anyOf?.find(({ type }) => type !== 'null')
  const isNullable = anyOf?.some(({ type }) => type === 'null')
  // Shows a field that may be null and that nobody names as null, unless its inside is worth showing.
  if (isNullable && !(branch && ('properties' in branch || 'items' in branch || 'anyOf' in branch))) return null
  if (branch) return exampleOf(branch, place, withOptional)
  if (items) return [exampleOf(items, place, withOptional)]
  if (schema.type === 'object') {
    const required = (schema.required ?? []) as string[]
    const shown = Object.entries(properties ?? {}).filter(([name]) => withOptional || required.includes(name))
    return Object.fromEntries(shown.map(([name, child]) => [name, exampleOf(child, within(place, name), withOptional)]))
  }
  if (schema.type === 'integer' || schema.type === 'number') return schema.default ?? schema.minimum ?? 1
  if (schema.type === 'boolean') return schema.default ?? false
  if (schema.type === 'null') return null
  const formatted = values[`format.${schema.format}`]
  if (formatted !== undefined) return formatted
  throw new Error(`${keysOf(place)[0]} has no example: name it, or ${place.fields.at(-1)}, in example-values.ts`)
}

/**
 * From the most telling to the plain name: `people.get.home_address.region`, `people.home_address.region`, …, `region`. What
 * a verb names comes before its noun: `amendments.id` for `worker.sign_amendment`.
 */
function keysOf({ operation, fields }: Place): string[] {
  const [noun = '', verb = ''] = operation.split('.')
  const owners = [operation, `${verb.replace(/^.*_|s$/g, '')}s`, noun]
  const tails = fields.map((_, from) => fields.slice(from).join('.'))
  return [...owners.map((owner) => [owner, ...fields].join('.')), ...tails]
}

function within({ operation, fields }: Place, name: string): Place {
  return { operation, fields: name === 'data' ? fields : [...fields, name] }
}
