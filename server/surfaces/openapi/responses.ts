import { isRepeatable, type Operation, problemsOf } from '#core/operation.ts'
import type { ProblemDefinition } from '#core/problems.ts'
import { type Components, type Json, pascalCase } from './components.ts'
import { answerExample, problemExample } from './examples.ts'

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` })

const everyHeader = {
  'Request-Id': headerRef('RequestId'),
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
}

/** The one answer of success with the headers it can carry. */
export function successResponse(
  operation: Operation,
  { holdsSensitive, isVersioned }: { holdsSensitive: boolean; isVersioned: boolean },
  place: Components['place'],
): Json {
  const { method, status = 200, output, reveals_secret, stream } = operation
  const headers = {
    ...everyHeader,
    ...(status === 201 && { Location: headerRef('Location') }),
    ...(isRepeatable({ method }) && { 'Idempotent-Replayed': headerRef('IdempotentReplayed') }),
    ...(isVersioned && { ETag: headerRef('ETag') }),
    ...(holdsSensitive && { 'Sensitive-Data-Withheld': headerRef('SensitiveDataWithheld') }),
  }
  const words = { 200: 'Success.', 201: 'Created.', 204: 'Done; there is no body.' }[status]
  const description = reveals_secret ? `${words} Holds a secret that is shown only here.` : words
  if (status === 204) return { 204: { description, headers } }
  const content = {
    'application/json': { schema: place(output as unknown as Json), example: answerExample(operation) },
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
  const refTo = ({ id }: Operation, definitions: readonly ProblemDefinition[]) => {
    const codes = definitions.map(({ code }) => pascalCase(code)).join('Or')
    const name = names.get(codes) ?? (definitions.length > 2 ? `${pascalCase(id)}${definitions[0]?.status}` : codes)
    names.set(codes, name)
    responses[name] ??= problemResponse(definitions, problem_base)
    return { $ref: `#/components/responses/${name}` }
  }
  const ofOperation = operations.map((operation): [string, Json] => {
    const references = groupsOf(operation).map(([status, definitions]) => [status, refTo(operation, definitions)])
    return [operation.id, Object.fromEntries(references)]
  })
  return { responses, of: new Map(ofOperation) }
}

function groupsOf(operation: Operation): [status: number, ProblemDefinition[]][] {
  const definitions = [...new Set(problemsOf(operation).map(({ definition }) => definition))]
  const sorted = definitions.sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return [...Map.groupBy(sorted, ({ status }) => status)]
}

function problemResponse(definitions: readonly ProblemDefinition[], problem_base: string): Json {
  const [{ status } = { status: 0 }] = definitions
  return {
    description: definitions.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
    headers: {
      ...everyHeader,
      ...((status === 401 || status === 403) && { 'WWW-Authenticate': headerRef('WWWAuthenticate') }),
      ...(status === 412 && { ETag: headerRef('ETag') }),
      ...([409, 429, 503].includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          definitions.map((one) => [one.code, { value: problemExample(one, problem_base) }]),
        ),
      },
    },
    'x-problem-codes': definitions.map(({ code }) => code),
  }
}
