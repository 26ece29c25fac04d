import { type Operation, pathFields } from '#core/operation.ts'
import type { ProblemDefinition } from '#core/problems.ts'
import { exampleOfField } from '#core/schema/fields.ts'
import type { Json } from './components.ts'

/** Values of the shared types by their titles, and of formats. One story throughout: Harbour Pine engages Jonas Weber. */
const values: Readonly<Record<string, unknown>> = {
  Id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
  ClientId: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P',
  Timestamp: '2026-01-12T09:00:00.000Z',
  Date: '2026-01-15',
  Email: 'jonas@harbour.example',
  Country: 'DE',
  Currency: 'EUR',
  TimeZone: 'Europe/Berlin',
  Locale: 'de',
  MoneyAmount: '4200.00',
  Actor: { kind: 'user', id: '019b8d2b-9f88-7e02-b5c1-3d20a94e6f71', name: 'Nora Pine' },
  Ref: { id: '019b8d2b-9018-7b66-8e25-1fd3a7c0e94b', name: 'Harbour Pine' },
  uri: 'https://receiver.example.org/hooks/stint',
}

/** Meta of every delivery in the document. */
export const meta = {
  event_type: 'contract.created',
  organization_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3',
  event_id: '019bb16e-fe80-7c41-9a53-2f6d1c0e8b17',
  occurred_at: '2026-01-12T09:00:00.000Z',
}

/** A request body as a caller might send it: that of its tool, else what is required and whatever has an example. */
export function requestExample({ id, path, input, tool }: Operation): unknown {
  if (tool?.example) return besidePath(path, tool.example)
  return exampleOf({ ...input, properties: besidePath(path, input.properties) }, id, false)
}

/** A value of a field of the path or the query. */
export function fieldExample({ id, input }: Operation, name: string): unknown {
  return exampleOf((input.properties[name] ?? {}) as Json, `${id}.${name}`, false)
}

/** The fields that do not travel in the path. */
export function besidePath<Member>(path: string, fields: Record<string, Member>): Record<string, Member> {
  const inPath = pathFields(path)
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name)))
}

/** The answer of success, with every field it can have. */
export function answerExample({ id, output }: Operation): unknown {
  return exampleOf(output as unknown as Json, id, true)
}

export function problemExample({ code, status, title, advice }: ProblemDefinition, problem_base: string): Json {
  const request_id = '019bb170-1c40-7f25-9d3b-5a8e0c7d2f16'
  return {
    ...{ type: `${problem_base}/${code}`, title, status, detail: advice, code, request_id },
    ...(code === 'insufficient_scope' && { required_scopes: ['contracts:write'] }),
    ...(code === 'validation_failed' && { errors: [{ pointer: '/title', message: 'is required' }] }),
  }
}

function exampleIn(schema: Json): unknown {
  const defined = exampleOfField(schema)
  return defined === undefined ? schema.example : defined
}

/** True when its definition gives an example, of the value itself, of one of several or of what it is where not null. */
function isTold(schema: Json): boolean {
  const { anyOf = [], items } = schema as { anyOf?: Json[]; items?: Json }
  return [schema, ...anyOf, ...(items ? [items] : [])].some((one) => exampleIn(one) !== undefined)
}

/** A value that the schema allows: that of its definition, else one of its type. `name` says where a text has neither. */
function exampleOf(schema: Json, name: string, is_whole: boolean): unknown {
  const { anyOf, items, properties } = schema as { anyOf?: Json[]; items?: Json; properties?: Record<string, Json> }
  const given = exampleIn(schema)
  if (given !== undefined) return given
  const shared = values[String(schema.title ?? schema.format)]
  if (shared !== undefined) return shared
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const branch = anyOf?.find(({ type }) => type !== 'null')
  const isNullable = anyOf?.some(({ type }) => type === 'null')
  // Shows a field that may be null as null, unless its inside is worth showing.
  if (isNullable && !(branch && ('properties' in branch || 'items' in branch || 'example' in branch))) return null
  if (branch) return exampleOf(branch, name, is_whole)
  if (items) return [exampleOf(items, name, is_whole)]
  if (schema.type === 'object') {
    const required = (schema.required ?? []) as string[]
    const isShown = (field: string, child: Json) =>
      is_whole || isTold(child) || (required.includes(field) && !('default' in child))
    const shown = Object.entries(properties ?? {}).filter(([field, child]) => isShown(field, child))
    return Object.fromEntries(shown.map(([field, child]) => [field, exampleOf(child, `${name}.${field}`, is_whole)]))
  }
  if (schema.type === 'integer' || schema.type === 'number') return schema.default ?? schema.minimum ?? 1
  if (schema.type === 'boolean') return schema.default ?? false
  throw new Error(`${name} has no example: give one to its schema`)
}
