import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type Command, exitStatus, type Flags, print, textFlag, UsageError } from '../command.ts'
import { type Answer, send } from './client.ts'
import { type Connection, connect, profileOption } from './connection.ts'
import type { Field, Json, OperationCommand } from './document.ts'
import { inputOf, optionOf } from './input.ts'
import { linesOf, tableOf } from './text.ts'

const rows_default = 20
const page_rows_max = 100

/** The command of one operation: its flags, help and run all follow from the operation. */
export function operationCommand(operation: OperationCommand): Command {
  return {
    usage: usageOf(operation),
    options: optionsOf(operation),
    about: aboutOf(operation),
    examples: examplesOf(operation),
    calls_service: true,
    words_max: operation.path_fields.length,
    async run(flags, words) {
      const path = pathOf(operation, words)
      const input = inputOf(operation, flags)
      const connection = connect(flags)
      if (operation.is_list) return runList(operation, connection, { path, input, flags })
      const answer = await callOperation(connection, operation, { path, input, flags })
      return show(operation, answer, flags)
    },
  }
}

function usageOf({ path_fields, has_body, is_list }: OperationCommand): string {
  const words = path_fields.map((name) => `<${name}>`)
  return [...words, is_list ? '[--limit <n> | --all] [filters]' : has_body ? '[--data <JSON>] [fields]' : '']
    .join(' ')
    .trim()
}

function optionsOf(operation: OperationCommand): Record<string, string> {
  const { fields, has_body, is_list, takes_key, takes_dry_run, takes_if_match, has_etag, media_type } = operation
  const own = fields
    .filter(({ flag }) => !is_list || flag !== 'limit')
    .map((field) => [optionOf(field), `${field.description}${field.is_required ? ' Required.' : ''}`.trim()])
  return {
    ...Object.fromEntries(own),
    ...(has_body && {
      'data <JSON>': 'The whole input as JSON, @file or - for standard input; fields of flags are put over it.',
    }),
    ...(is_list && {
      'limit <n>': `Print so many rows (default ${rows_default}).`,
      all: 'Print every row, page by page.',
    }),
    ...(takes_dry_run && {
      'dry-run': 'Try it: print what it would answer, tell and book. Nothing of it stays.',
      'confirm <digest>': 'The digest of such a trial: do it only if it would still do the same.',
    }),
    ...(takes_if_match && {
      'if-match <etag>': 'Do it only if the resource still has this version (`--etag` of its get).',
    }),
    ...(takes_key && {
      'idempotency-key <key>':
        'Key under which a repeat is answered the same and does nothing again (default: a new one).',
    }),
    ...(has_etag && { etag: 'Print only the version, for --if-match.' }),
    ...(media_type && { 'output <file>': 'Write the file here instead of to standard output.' }),
    ...profileOption,
  }
}

function aboutOf({ id, method, path, description, scopes, problem_codes }: OperationCommand): string {
  const needs = scopes.length > 0 ? `a token with ${scopes.join(' or ')}` : 'any valid token'
  const codes = [...new Set(problem_codes)].filter((code) => !everywhere.has(code))
  return [
    ...(description ? [description] : []),
    `Operation ${id}: ${method} ${path}`,
    `Needs: ${needs}.`,
    ...(codes.length > 0 ? [`May be refused as: ${codes.join(', ')}.`] : []),
  ].join('\n')
}

/** Codes that any operation may answer with. */
const everywhere = new Set(
  'validation_failed unauthenticated https_required insufficient_scope malformed_json body_too_large unsupported_media_type headers_too_large rate_limited internal_error unavailable precondition_failed invalid_cursor confirmation_outdated clock_advancing idempotency_in_progress idempotency_key_reused not_found'.split(
    ' ',
  ),
)

/** One for each place of a path. */
const some_ids = ['019bb16e-fe80-7b02-b1c4-90aa3e5d7f62', '019bb2a1-4c10-7d3e-9a55-1f2e3d4c5b6a']

function examplesOf({ name, path_fields, fields, is_list, has_body, example, media_type }: OperationCommand): string[] {
  const call = [
    name,
    ...path_fields.map((field, place) => (field.endsWith('_id') ? some_ids[place] : `<${field}>`)),
  ].join(' ')
  if (is_list) return [call, `${call} --all --json`]
  if (media_type) return [`${call} --output file${media_type.includes('pdf') ? '.pdf' : '.csv'}`]
  if (!has_body || !example || Object.keys(example).length === 0) return [call]
  return [`${call} ${flagsOf(example as Json, fields) ?? `--data ${inQuotes(JSON.stringify(example))}`}`]
}

/** More are read more easily as one object. */
const shown_flags_max = 6

/** An input as people type it; null where a flag would have to hold JSON, or nothing. */
function flagsOf(example: Json, fields: readonly Field[]): string | null {
  const given = fields.flatMap((field) => {
    const value = field.place.reduce<unknown>((inner, name) => (inner as Json | null | undefined)?.[name], example)
    return value === undefined ? [] : [{ field, value }]
  })
  const isPlain = given.every(({ field, value }) => field.kind !== 'json' && value !== null && String(value) !== '')
  if (!isPlain || given.length > shown_flags_max || given.length < leavesOf(example)) return null
  return given.map(({ field, value }) => `--${field.flag} ${inQuotes([value].flat().join(','))}`).join(' ')
}

const leavesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).reduce<number>((sum, inner) => sum + leavesOf(inner), 0)
    : 1

const inQuotes = (text: string) => (/^[\w@.,:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** The path of a call; each field of it is one word. */
export function pathOf({ path, path_fields }: OperationCommand, words: readonly string[]): string {
  const missing = path_fields[words.length]
  if (missing) throw new UsageError(`<${missing}> is missing`)
  return path_fields.reduce(
    (filled, name, place) => filled.replace(`{${name}}`, encodeURIComponent(words[place] ?? '')),
    path,
  )
}

interface Call {
  path: string
  input: Json
  flags: Flags
}

/** Calls one operation under the wishes of its flags; a change gets a key, so that it may be sent again. */
export function callOperation(connection: Connection, operation: OperationCommand, { path, input, flags }: Call) {
  const { method, has_body, takes_key } = operation
  const key = takes_key ? (textFlag(flags, 'idempotency-key') ?? randomUUID()) : undefined
  const [confirm, if_match] = [textFlag(flags, 'confirm'), textFlag(flags, 'if-match')]
  const query = has_body ? '' : queryOf(input)
  return send(connection, {
    method,
    path: `${path}${query}`,
    headers: {
      ...(key && { 'Idempotency-Key': key }),
      ...(flags['dry-run'] && { 'Stint-Dry-Run': 'true' }),
      ...(confirm && { 'Stint-Confirm': confirm }),
      ...(if_match && { 'If-Match': if_match }),
    },
    ...(has_body && { body: input }),
    // A condition that was met the first time is not met again.
    is_repeatable: takes_key || (confirm ?? if_match) === undefined,
  })
}

function queryOf(input: Json): string {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]],
  )
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

interface Page {
  data: Json[]
  cursor: string | null
  has_more: boolean
  total_count?: number
}

async function runList(operation: OperationCommand, connection: Connection, { path, input, flags }: Call) {
  const rows_max = flags.all ? Number.POSITIVE_INFINITY : limitOf(flags)
  const data: Json[] = []
  let page: Page = { data, cursor: null, has_more: true }
  let withheld: string | null = null
  while (page.has_more && data.length < rows_max) {
    const asked = {
      ...input,
      limit: Math.min(page_rows_max, rows_max - data.length),
      ...(page.cursor !== null && { cursor: page.cursor }),
    }
    const answer = await callOperation(connection, operation, { path, input: asked, flags })
    // The cast holds because every list answers with this envelope.
    page = answer.body as Page
    withheld = answer.headers.get('sensitive-data-withheld')
    data.push(...page.data)
  }
  print(flags, { ...page, data }, data.length > 0 ? tableOf(data) : ['nothing found'])
  if (page.has_more && !flags.json)
    process.stderr.write(
      `${data.length} of ${page.total_count ?? 'more'}; go on with --all, or with --cursor ${page.cursor}\n`,
    )
  tellWithheld(withheld, flags)
  return exitStatus.ok
}

function limitOf(flags: Flags): number {
  const limit = Number(textFlag(flags, 'limit') ?? rows_default)
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit takes a whole number from 1 on')
  return limit
}

function show({ media_type, summary }: OperationCommand, { status, headers, body }: Answer, flags: Flags): number {
  if (flags.etag) process.stdout.write(`${headers.get('etag') ?? ''}\n`)
  else if (media_type && Buffer.isBuffer(body)) writeAnswer(body, media_type, textFlag(flags, 'output'))
  else if (status === 204 || body === null) print(flags, { done: true }, [`done: ${summary}`])
  else showObject(body as Json, flags)
  tellWithheld(headers.get('sensitive-data-withheld'), flags)
  return exitStatus.ok
}

function tellWithheld(withheld: string | null, flags: Flags): void {
  if (withheld && !flags.json) process.stderr.write(`Left out, since the token was not granted it: ${withheld}\n`)
}

function showObject(body: Json, flags: Flags): void {
  const { dry_run, ...answered } = body as { dry_run?: { digest: string } & Json }
  print(flags, body, linesOf(answered))
  if (!dry_run || flags.json) return
  const { digest, ...effects } = dry_run
  process.stdout.write(
    `\nTried only: nothing was changed. It would tell and book:\n${linesOf(effects, '  ').join('\n')}\n`,
  )
  process.stderr.write(`Do it, if it still does the same, with --confirm ${digest}\n`)
}

function writeAnswer(content: Buffer, media_type: string, output: string | undefined): void {
  if (output !== undefined) writeFileSync(output, content)
  else if (process.stdout.isTTY && !media_type.startsWith('text/'))
    throw new UsageError(`a ${media_type} is not for a terminal: name a file by --output`)
  else process.stdout.write(content)
}
