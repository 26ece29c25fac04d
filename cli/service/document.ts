import { readdirSync, readFileSync } from 'node:fs'

export type Json = Record<string, unknown>

/** One input of an operation as the command line takes it. */
export interface Field {
  /** Its place in the input: `['compensation', 'amount']`. */
  place: readonly string[]
  /** As people type it: `compensation.amount`, `worker.first-name`. */
  flag: string
  kind: 'text' | 'integer' | 'boolean' | 'list' | 'json'
  /** Short name of what a text is, for help: `date`, `e-mail`. */
  form: string
  /** The words it takes, if they are few. */
  choices: readonly string[]
  is_required: boolean
  is_nullable: boolean
  description: string
}

/** One operation of the service as a sub-command. */
export interface OperationCommand {
  id: string
  /** `contracts list-deliveries`: the id in words. */
  name: string
  summary: string
  description: string
  method: string
  path: string
  path_fields: readonly string[]
  /** Fields of the query or of the body. */
  fields: readonly Field[]
  has_body: boolean
  is_list: boolean
  takes_key: boolean
  takes_dry_run: boolean
  takes_if_match: boolean
  has_etag: boolean
  scopes: readonly string[]
  example: unknown
  problem_codes: readonly string[]
  /** The type of an answer that is a file. */
  media_type: string | null
}

interface OperationObject {
  operationId: string
  summary: string
  description?: string
  'x-required-scopes'?: string[]
  parameters: Json[]
  requestBody?: { content: { 'application/json': { schema: Json; example?: unknown } } }
  responses: Record<string, Json>
}

const folder = new URL('../../docs/reference/openapi/', import.meta.url)
let read: readonly OperationCommand[] | undefined

/**
 * Every operation, from the OpenAPI document that is generated from the definitions. Reading it takes 15 ms, loading the
 * definitions 300 ms, which every call of a command would wait for.
 */
export function operationCommands(): readonly OperationCommand[] {
  read ??= readDocument()
  return read
}

function readDocument(): OperationCommand[] {
  const parts = readdirSync(folder)
    .filter((name) => !name.startsWith('events-'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
  const components: Record<string, Record<string, Json>> = Object.assign(
    {},
    ...parts.map(({ components }) => components),
  )
  const resolve = (schema: Json): Json => {
    const [, , section = '', name = ''] = typeof schema.$ref === 'string' ? schema.$ref.split('/') : []
    return name === '' ? schema : { ...components[section]?.[name], ...schema, $ref: undefined }
  }
  const paths: Record<string, Record<string, OperationObject>> = Object.assign({}, ...parts.map(({ paths }) => paths))
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => commandOf(operation, method.toUpperCase(), path, resolve)),
  )
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

type Resolve = (schema: Json) => Json

function commandOf(operation: OperationObject, method: string, path: string, resolve: Resolve): OperationCommand {
  const parameters = operation.parameters.map(resolve)
  const names = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => String(name))
  const body = operation.requestBody?.content['application/json']
  const query = parameters.filter((one) => one.in === 'query')
  const headers = names('header')
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
  const media_types = Object.keys((success?.content ?? {}) as Json)
  return {
    id: operation.operationId,
    name: nameOf(operation.operationId),
    summary: operation.summary,
    description: operation.description ?? '',
    method,
    path,
    path_fields: names('path'),
    fields: body
      ? fieldsOf(resolve(body.schema), [], resolve)
      : query.flatMap((one) => fieldsAt(String(one.name), one.schema as Json, one.required === true, one, [], resolve)),
    has_body: body !== undefined,
    is_list: query.some(({ name }) => name === 'cursor'),
    takes_key: headers.includes('Idempotency-Key'),
    takes_dry_run: headers.includes('Stint-Dry-Run'),
    takes_if_match: headers.includes('If-Match'),
    has_etag: headers.includes('If-None-Match'),
    scopes: operation['x-required-scopes'] ?? [],
    example: body?.example,
    problem_codes: Object.values(operation.responses).flatMap(
      (response) => (resolve(response)['x-problem-codes'] ?? []) as string[],
    ),
    media_type: media_types.includes('application/json') ? null : (media_types[0] ?? null),
  }
}

/** `webhooks.list_deliveries` → `webhooks list-deliveries`. */
function nameOf(id: string): string {
  return id.replace('.', ' ').replaceAll('_', '-')
}

function fieldsOf(schema: Json, within: readonly string[], resolve: Resolve): Field[] {
  const required = (schema.required ?? []) as string[]
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, child]) =>
    fieldsAt(name, child, required.includes(name), child, within, resolve),
  )
}

/** A simple field is one flag, an object one for each of its fields; everything else is given as JSON. */
function fieldsAt(
  name: string,
  schema: Json,
  is_required: boolean,
  words: Json,
  within: readonly string[],
  resolve: Resolve,
): Field[] {
  const whole = resolve(schema)
  const branches = ((whole.anyOf ?? [whole]) as Json[]).map(resolve)
  const [value = whole, ...others] = branches.filter(({ type }) => type !== 'null')
  const place = [...within, name]
  if (others.length === 0 && value.properties) {
    return fieldsOf(value, place, resolve).map((field) => ({ ...field, is_required: field.is_required && is_required }))
  }
  const items = value.items ? resolve(value.items as Json) : {}
  const kind = others.length > 0 ? 'json' : kindOf(value, items)
  const flag = place.join('.').replaceAll('_', '-')
  const choices = ((kind === 'list' ? items.enum : value.enum) ?? []) as string[]
  const is_nullable = branches.some(({ type }) => type === 'null')
  const description = String(words.description ?? whole.description ?? '')
  const form = forms[String(value.title ?? value.format)] ?? 'text'
  return [{ place, flag, kind, form, choices, is_required, is_nullable, description }]
}

/** Shared types by their titles, and formats. */
const forms: Readonly<Record<string, string>> = {
  Id: 'id',
  Date: 'YYYY-MM-DD',
  Timestamp: 'time',
  Email: 'e-mail',
  Country: 'country',
  Currency: 'currency',
  TimeZone: 'time-zone',
  Locale: 'locale',
  MoneyAmount: 'amount',
  uri: 'url',
}

function kindOf(schema: Json, items: Json): Field['kind'] {
  if (schema.type === 'string') return 'text'
  if (schema.type === 'integer' || schema.type === 'boolean') return schema.type
  return schema.type === 'array' && items.type === 'string' ? 'list' : 'json'
}
