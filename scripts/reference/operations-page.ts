import type { Json } from '#surfaces/openapi/components.ts'
import { fieldRows, notesOf, typeWords } from '#surfaces/openapi/schema-words.ts'
import { shapeDefinitions, table } from './markdown.ts'

type Section = Record<string, Json>

/** Every operation with its input, answer and refusals, as Markdown made from the OpenAPI document. */
export function operationsPage(document: Json): string {
  const { paths, tags, components } = document as { paths: Record<string, Section>; tags: Json[]; components: Json }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const sections = tags.flatMap(({ name }) => {
    const own = operations.filter(({ operation }) => (operation.tags as string[]).includes(String(name)))
    return own.length === 0 ? [] : [`## ${name}`, ...own.map((each) => operationSection(each, components))]
  })
  return [
    '# Operations',
    'Paths are relative to the REST base address, which ends in `/rest/v2`. Any one of the named scopes suffices, and `x:write` includes `x:read`. Problems that belong to a kind of operation are not repeated:',
    commonProblems,
    headersOfChanges,
    ...sections,
    '## Shapes',
    ...shapeSections(components.schemas as Section),
    shapeDefinitions(document),
  ].join('\n\n')
}

const headersOfChanges = `Every change also takes these headers ([changing things safely](../guides/changing-things-safely.md)):

| Header | On | Meaning |
| --- | --- | --- |
| \`Idempotency-Key\` | POST, PATCH | A repeat with the same key is answered the same, and does nothing again. |
| \`If-Match\` | what has a version | The change is made only if the resource still has this \`ETag\`, else 412. |
| \`Stint-Dry-Run\` | all | \`true\`: answers what it would answer, tell and book, and is rolled back. |
| \`Stint-Confirm\` | all | The \`dry_run.digest\` of that: made only if it would still do the same, else 409 [\`confirmation_outdated\`](problems.md). |`

interface Placed {
  path: string
  method: string
  operation: Json
}

function operationSection({ path, method, operation }: Placed, components: Json): string {
  const facts = [
    `Scopes: ${scopeWords(operation)}`,
    ...(operation['x-tool'] ? [`Tool: \`${operation['x-tool']}\``] : []),
    `Answer: ${answerWords(operation)}`,
    ...(isFollowed(operation) ? ['Can be followed: `Accept: text/event-stream`'] : []),
    ...problemFacts(operation, components),
  ]
  const inputs = inputRows(operation, components)
  return [
    `### ${operation.operationId}`,
    `\`${method} ${path}\`: ${operation.summary}.`,
    ...(operation.description ? [String(operation.description)] : []),
    ...(inputs.length > 0 ? [table(['Input', 'In', 'Type', 'Required', 'Notes'], inputs)] : []),
    facts.map((fact) => `- ${fact}`).join('\n'),
  ].join('\n\n')
}

function scopeWords(operation: Json): string {
  const listed = (name: string) => ((operation[name] ?? []) as string[]).map((scope) => `\`${scope}\``).join(', ')
  const others = listed('x-required-scopes-for-others')
  return listed('x-required-scopes') || `any valid credential${others && `; ${others} for more than its own`}`
}

function inputRows({ parameters, requestBody }: Json, { schemas }: Json): string[][] {
  const named = (parameters as Json[]).filter((parameter) => 'name' in parameter)
  const fromParameters = named.map(({ name, in: where, required, description, schema }) => [
    `\`${name}\``,
    String(where),
    typeWords(schema as Json),
    required ? 'yes' : '',
    notesOf({ ...(schema as Json), ...(description !== undefined && { description }) }),
  ])
  const body = requestBody as { content: Record<string, { schema: Json }> } | undefined
  const schema = body?.content['application/json']?.schema ?? {}
  // A body that several operations share is a component.
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const fields = fieldRows(name ? ((schemas as Section)[name] ?? {}) : schema)
  return [
    ...fromParameters,
    ...fields.map(({ name, type, required, notes }) => [`\`${name}\``, 'body', type, required ? 'yes' : '', notes]),
  ]
}

function isFollowed({ responses }: Json): boolean {
  const success = (responses as Section)['200']?.content as Section | undefined
  return success?.['text/event-stream'] !== undefined
}

function answerWords({ responses }: Json): string {
  // Behind the 200 of a dry run stands the 204 of the real call.
  const [status, response] = Object.entries(responses as Section).findLast(([code]) => code.startsWith('2')) ?? ['', {}]
  const content = response.content as Record<string, { schema: Json }> | undefined
  const schema = content?.['application/json']?.schema
  if (!schema) return status
  const rows = (schema.properties as Section | undefined)?.data?.items
  if (rows) return `${status}, list envelope of ${typeWords(rows as Json)}`
  const fields = Object.entries((schema.properties ?? {}) as Section)
  if (fields.length === 0) return `${status}, ${typeWords(schema)}`
  return `${status}, ${fields.map(([name, field]) => `\`${name}\` ${typeWords(field)}`).join('; ')}`
}

const kinds: [kind: string, codes: string[]][] = [
  ['every operation', ['validation_failed', 'unauthenticated', 'insufficient_scope', 'https_required', 'rate_limited']],
  ['also every operation', ['headers_too_large', 'internal_error', 'unavailable']],
  ['lists', ['invalid_cursor']],
  ['ids in the path', ['not_found']],
  ['POST, PATCH and PUT', ['malformed_json', 'body_too_large', 'unsupported_media_type']],
  ['POST and PATCH with an `Idempotency-Key`', ['idempotency_in_progress', 'idempotency_key_reused']],
]

const commonProblems = kinds
  .map(([kind, codes]) => `- ${kind}: ${codes.map((code) => `[\`${code}\`](problems.md)`).join(', ')}`)
  .join('\n')

const common = new Set(kinds.flatMap(([, codes]) => codes))

function problemFacts({ responses }: Json, components: Json): string[] {
  const shared = components.responses as Section
  const codes = Object.values(responses as Section).flatMap((response) => {
    const found = typeof response.$ref === 'string' ? shared[response.$ref.split('/').at(-1) ?? ''] : response
    return (found?.['x-problem-codes'] ?? []) as string[]
  })
  const own = codes.filter((code) => !common.has(code))
  return own.length > 0 ? [`Problems: ${own.map((code) => `\`${code}\``).join(', ')}`] : []
}

function shapeSections(schemas: Section): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const rows = fieldRows(schema).map(({ name: field, type, notes }) => [`\`${field}\``, type, notes])
    const words = rows.length > 0 ? table(['Field', 'Type', 'Notes'], rows) : `${typeWords(schema)}. ${notesOf(schema)}`
    return [`### ${name}`, words.trim()]
  })
}
