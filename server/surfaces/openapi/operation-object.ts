import { isMutation, isQuery, isRepeatable, type Operation, pathFields, problemsOf } from '#core/operation.ts'
import type { ProblemDefinition } from '#core/problems.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { curlExample, sdkExample } from './call-examples.ts'
import { type Components, type Json, mapChildren, pascalCase } from './components.ts'
import { answerExample, besidePath, problemExample, requestExample } from './examples.ts'

const refTo = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` })
const headerRef = (name: string) => refTo('headers', name)

/** One operation as its OpenAPI Operation Object; `problems` are its refusals by status. */
export function operationObject(operation: RegisteredOperation, { place }: Components, problems: Json): Json {
  const { definition, sensitive } = operation
  const { id, summary, description, scopes, scopes_for_others, roles, tool } = definition
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    tags: [tagOf(definition)],
    security: securityOf(definition),
    'x-required-scopes': scopes,
    ...(scopes_for_others && { 'x-required-scopes-for-others': scopes_for_others }),
    ...(roles && { 'x-roles': roles }),
    ...(tool && { 'x-tool': tool.name }),
    ...(sensitive.categories.length > 0 && { 'x-sensitive-categories': sensitive.categories }),
    'x-codeSamples': [
      { lang: 'Shell', label: 'curl', source: curlExample(definition) },
      { lang: 'TypeScript', label: '@stint/sdk', source: sdkExample(definition) },
    ],
    parameters: parametersOf(operation, place),
    ...requestBodyOf(definition, place),
    responses: { ...successResponse(operation, place), ...problems },
  }
}

/**
 * Requirements are alternatives: any bearer token that holds one of the scopes, or an access token asked for with one.
 * Access to one's own takes no scope, but an app that asks for the scope also reaches the rest.
 */
function securityOf({ scopes, scopes_for_others = [] }: Operation): Json[] {
  const asked = [...scopes, ...scopes_for_others]
  return [{ bearer: [] }, ...(asked.length > 0 ? asked.map((scope) => ({ oauth2: [scope] })) : [{ oauth2: [] }])]
}

/** The first word of the path: the noun that the operation is about. */
export function tagOf({ path }: Pick<Operation, 'path'>): string {
  return path.split('/')[1] ?? ''
}

/** `/contracts/:contract_id` → `/contracts/{contract_id}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:([a-z_]+)/g, '{$1}')
}

function parametersOf({ definition, target, may_be_behind }: RegisteredOperation, place: Components['place']) {
  const { method, path, input, stream } = definition
  const required = acceptedInput(input as unknown as Json).required as string[]
  const parameter = (where: 'path' | 'query') => (name: string) => {
    const { description, ...schema } = input.properties[name] as unknown as Json
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: place(schema),
    }
  }
  return [
    ...pathFields(path).map(parameter('path')),
    ...(isQuery({ method }) ? Object.keys(besidePath(path, input.properties)).map(parameter('query')) : []),
    ...(isRepeatable({ method }) ? [refTo('parameters', 'IdempotencyKey')] : []),
    ...(isMutation({ method }) ? [refTo('parameters', 'DryRun'), refTo('parameters', 'Confirm')] : []),
    ...(target ? [refTo('parameters', isMutation({ method }) ? 'IfMatch' : 'IfNoneMatch')] : []),
    ...(stream ? [refTo('parameters', 'LastEventId')] : []),
    ...(may_be_behind ? [refTo('parameters', 'CacheControl')] : []),
    refTo('parameters', 'RequestId'),
  ]
}

function requestBodyOf(operation: Operation, place: Components['place']): Json {
  const accepted = bodySchema(operation)
  if (isQuery(operation) || Object.keys(accepted.properties as Json).length === 0) return {}
  const required = (accepted.required as string[]).length > 0 || operation.method === 'PATCH'
  const content = { 'application/json': { schema: place(accepted), example: requestExample(operation) } }
  return { requestBody: { required, content } }
}

/** The part of the input that travels in the body, as a caller may send it. */
export function bodySchema({ path, input }: Pick<Operation, 'path' | 'input'>): Json {
  return acceptedInput({ ...input, properties: besidePath(path, input.properties) })
}

/** The input as a caller may send it: a field with a default may be left out. */
function acceptedInput(schema: Json): Json {
  const accepted = mapChildren(schema, acceptedInput)
  const properties = schema.properties as Record<string, Json> | undefined
  if (!properties) return accepted
  const needed = ((schema.required ?? []) as string[]).filter(
    (name) => properties[name] && !('default' in properties[name]),
  )
  return { ...accepted, required: needed }
}

const everyHeader = {
  'Request-Id': headerRef('RequestId'),
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
}

/** The answer of a dry run, where the real call answers 204. */
const dryRunAnswer: Json = {
  description: 'Of a dry run: what the change would tell and book.',
  headers: everyHeader,
  content: {
    'application/json': {
      schema: refTo('schemas', 'DryRunAnswer'),
      example: { dry_run: { digest: 'A'.repeat(43), events: [], postings: [] } },
    },
  },
}

/** The one answer of success with the headers it can carry. */
function successResponse(operation: RegisteredOperation, place: Components['place']): Json {
  const { definition, sensitive, shown, may_be_behind } = operation
  const { method, status = 200, output, reveals_secret, stream, file } = definition
  const isVersioned = shown !== null
  const headers = {
    ...everyHeader,
    ...(status === 201 && { Location: headerRef('Location') }),
    ...(isRepeatable({ method }) && { 'Idempotent-Replayed': headerRef('IdempotentReplayed') }),
    ...(isVersioned && { ETag: headerRef('ETag') }),
    ...(may_be_behind && { 'Stint-Read-Age-Ms': headerRef('StintReadAgeMs') }),
    ...(sensitive.categories.length > 0 && { 'Sensitive-Data-Withheld': headerRef('SensitiveDataWithheld') }),
  }
  const words = { 200: 'Success.', 201: 'Created.', 204: 'Done; there is no body.' }[status]
  const description = reveals_secret ? `${words} Holds a secret that is shown only here.` : words
  if (status === 204) return { 204: { description, headers }, 200: dryRunAnswer }
  const content = {
    ...(file
      ? { [file.media_type]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: place(output as unknown as Json), example: answerExample(definition) } }),
    ...(stream && { 'text/event-stream': { schema: eventStreamSchema } }),
  }
  return {
    [status]: { description, headers, content },
    ...(isVersioned && method === 'GET' && { 304: { description: 'As `If-None-Match` says it is known.', headers } }),
  }
}

/** OpenAPI 3.1 has no words for the events of a stream. */
const eventStreamSchema: Json = {
  type: 'string',
  description:
    'Server-sent events: each `data` is one row as in the list, told when it came or changed; each `id` is for `Last-Event-ID`. An event `problem` with a problem document ends the stream.',
}

/**
 * The refusals of each operation by status, as references, and the components they refer to: one for each set of problems.
 * One or two codes name theirs; a longer set is named after the operation that has it first.
 */
export function createProblemResponses(operations: readonly Operation[], problem_base: string) {
  const names = new Map<string, string>()
  const responses: Record<string, Json> = {}
  const problemsByStatus = (operation: Operation) => {
    const definitions = [...new Set(problemsOf(operation).map(({ definition }) => definition))]
    const sorted = definitions.sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    const groups = [...Map.groupBy(sorted, ({ status }) => status)].map(([status, group]) => {
      const codes = group.map(({ code }) => pascalCase(code)).join('Or')
      const name = names.get(codes) ?? (group.length > 2 ? `${pascalCase(operation.id)}${status}` : codes)
      names.set(codes, name)
      responses[name] ??= problemResponse(status, group, problem_base)
      return [status, refTo('responses', name)]
    })
    return Object.fromEntries(groups)
  }
  return { responses, of: new Map(operations.map((one): [string, Json] => [one.id, problemsByStatus(one)])) }
}

function problemResponse(status: number, definitions: readonly ProblemDefinition[], problem_base: string): Json {
  const examples = definitions.map((one) => [one.code, { value: problemExample(one, problem_base) }])
  return {
    description: definitions.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
    headers: {
      ...everyHeader,
      ...((status === 401 || status === 403) && { 'WWW-Authenticate': headerRef('WWWAuthenticate') }),
      ...(status === 412 && { ETag: headerRef('ETag') }),
      ...([409, 429, 503].includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
    },
    content: {
      'application/problem+json': { schema: refTo('schemas', 'Problem'), examples: Object.fromEntries(examples) },
    },
    'x-problem-codes': definitions.map(({ code }) => code),
  }
}
