import { declaredProblems } from '#core/problems.ts'
import { type Json, pascalCase } from '#surfaces/openapi/components.ts'
import { comment, createTypeWriter, indented, type Schemas, type TypeWriter } from './type-text.ts'

interface Placed {
  id: string
  group: string
  verb: string
  method: string
  /** `/contracts/{contract_id}` */
  path: string
  operation: Json
  /** The form of the answer, where it is not simply JSON. */
  form: 'page' | 'stream' | 'file' | null
}

const notice = '// Made by `npm run generate`; edit the definitions, not this file.'

/** Components that no operation names as its input or answer. */
const named_by_the_client = ['Problem', 'DryRunAnswer']

/** The generated files of the client: the table that it works by, and the types of every operation and event. */
export function sdkFiles(document: Json): Map<string, string> {
  const { paths, webhooks, components } = document as {
    paths: Record<string, Record<string, Json>>
    webhooks: Record<string, { post: Json }>
    components: { schemas: Schemas }
  }
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => placed(path, method, one)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const groups = Map.groupBy(operations, ({ group }) => group)
  const writer = createTypeWriter(components.schemas)
  for (const name of named_by_the_client) writer.typeOf({ $ref: `#/components/schemas/${name}` }, 'answer')
  const parts = [
    "import type { Change, FollowedList, Keyed, List, Nothing, Open, Read, ReadFile, ReadVersion, Versioned } from '../shapes.ts'",
    methodsInterface(groups, writer),
    eventsInterface(webhooks, writer),
    problemCodes(),
    ...operations.map((one) => inputOf(one, writer)).filter((text) => text !== ''),
  ]
  const types = [...parts, ...writer.interfaces()].join('\n\n')
  const names = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice) throw new Error(`${twice} would be two types: give one of the schemas a title`)
  const files = { 'table.ts': tableOf(groups), 'types.ts': types }
  return new Map(Object.entries(files).map(([name, text]) => [name, `${notice}\n${indented(text)}\n`]))
}

function placed(path: string, method: string, operation: Json): Placed {
  const id = String(operation.operationId)
  const [group = '', verb = ''] = id.split('.')
  const parameters = operation.parameters as Json[]
  const form = isFile(operation)
    ? 'file'
    : isStream(operation)
      ? 'stream'
      : method === 'get' && parameters.some(({ name }) => name === 'cursor')
        ? 'page'
        : null
  return { id, group, verb, method: method.toUpperCase(), path, operation, form }
}

/** `GET /contracts page`: all that the client has to know of an operation. */
function tableOf(groups: Map<string, Placed[]>): string {
  const lines = [...groups].flatMap(([group, operations]) => [
    `${group}: {`,
    ...operations.map(({ verb, method, path, form }) => `${verb}: '${method} ${path}${form ? ` ${form}` : ''}',`),
    '},',
  ])
  return `export const table = {\n${lines.join('\n')}\n} as const`
}

function methodsInterface(groups: Map<string, Placed[]>, writer: TypeWriter): string {
  const lines = [...groups].flatMap(([group, operations]) => [
    `${group}: {`,
    ...operations.map((one) => `${comment(wordsOf(one))}${one.verb}: ${methodType(one, writer)}`),
    '}',
  ])
  return `/** Every operation of the service, by its id. */\nexport interface Methods {\n${lines.join('\n')}\n}`
}

function wordsOf({ id, operation }: Placed): string {
  const scopes = (name: string) => ((operation[name] ?? []) as string[]).map((scope) => `\`${scope}\``).join(' or ')
  const others = scopes('x-required-scopes-for-others')
  return [
    `${operation.summary}.`,
    ...(operation.description ? ['', String(operation.description)] : []),
    '',
    `\`${id}\` takes ${scopes('x-required-scopes') || `any valid credential${others && `, ${others} for more than its own`}`}.`,
  ].join('\n')
}

/** `Change<TeamsUpdateInput, Team, Keyed & Versioned>` */
function methodType(one: Placed, writer: TypeWriter): string {
  const { method, operation, form } = one
  const input = inputOf(one, writer) === '' ? 'Nothing' : inputName(one)
  if (form === 'file') return `ReadFile<${input}>`
  const answer = answerOf(operation, form, writer)
  if (form === 'page') return `List<${input}, ${answer}>`
  if (form === 'stream') return `FollowedList<${input}, ${answer}>`
  const headers = (operation.parameters as Json[]).map(({ $ref }) => String($ref).split('/').at(-1) ?? '')
  if (method === 'GET') return `Read${headers.includes('IfNoneMatch') ? 'Version' : ''}<${input}, ${answer}>`
  const options = Object.entries({ IdempotencyKey: 'Keyed', IfMatch: 'Versioned' })
    .filter(([header]) => headers.includes(header))
    .map(([, name]) => name)
  return `Change<${[input, answer, ...(options.length > 0 ? [options.join(' & ')] : [])].join(', ')}>`
}

function answerOf({ responses }: Json, form: Placed['form'], writer: TypeWriter): string {
  const [, response] = Object.entries(responses as Schemas).findLast(([status]) => status.startsWith('2')) ?? []
  const schema = jsonOf(response)
  if (!schema) return 'void'
  if (form === null) return writer.typeOf(schema, 'answer')
  const { data = {}, ...rest } = writer.resolve(schema).properties as Schemas
  if (Object.keys(rest).join() !== 'cursor,has_more,total_count') throw new Error('a list has an envelope of its own')
  return writer.typeOf(writer.resolve(data).items as Json, 'answer')
}

const inputName = ({ id }: Placed) => `${pascalCase(id)}Input`

/** The flat input of an operation as an interface, whether its fields travel in path, query or body; empty for none. */
function inputOf(one: Placed, writer: TypeWriter): string {
  const parameters = (one.operation.parameters as Json[]).filter(({ name }) => name !== undefined)
  const body = writer.resolve(jsonOf(one.operation.requestBody) ?? {})
  const schema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map(({ name, description, schema: own }) => [name, worded(own, description)])),
      ...(body.properties as Schemas | undefined),
    },
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...((body.required ?? []) as string[]),
    ],
  }
  if (Object.keys(schema.properties).length === 0) return ''
  return `/** Input of \`${one.id}\`. */\nexport interface ${inputName(one)} {\n${writer.membersOf(schema, 'input')}\n}`
}

function worded(schema: unknown, description: unknown): Json {
  // The cast holds because a parameter of the document has a schema.
  return { ...(schema as Json), ...(description !== undefined && { description }) }
}

function eventsInterface(webhooks: Record<string, { post: Json }>, writer: TypeWriter): string {
  const lines = Object.entries(webhooks).map(([type, { post }]) => {
    const inside = (schema: Json | undefined, name: string) => (schema?.properties as Schemas | undefined)?.[name]
    const entries = inside(inside(jsonOf(post.requestBody), 'data'), 'resource')
    return `${comment(String(post.summary))}'${type}': ${writer.typeOf(entries?.items as Json, 'answer')}`
  })
  return `/** The entry of each type of event. */\nexport interface EventEntries {\n${lines.join('\n')}\n}`
}

function problemCodes(): string {
  const codes = declaredProblems().map(({ code }) => `| '${code}'`)
  return `/** Codes of the problems that this version of the service answers with. */\nexport type ProblemCode =\n${codes.join('\n')}`
}

function contentOf(response: unknown): Schemas {
  return ((response as Json | undefined)?.content ?? {}) as Schemas
}

function jsonOf(response: unknown): Json | undefined {
  return contentOf(response)['application/json']?.schema as Json | undefined
}

function isFile({ responses }: Json): boolean {
  return Object.keys(contentOf((responses as Schemas)['200'])).some((type) =>
    /^(text\/csv|application\/pdf)/.test(type),
  )
}

function isStream({ responses }: Json): boolean {
  return 'text/event-stream' in contentOf((responses as Schemas)['200'])
}
