import { follow } from './follow.ts'
import { table } from './generated/table.ts'
import type { Methods } from './generated/types.ts'
import { FollowedListing, Listing } from './listing.ts'
import type { ChangeOptions, Conditional, Keyed, ListOptions, Page, Versioned } from './shapes.ts'
import { type Begun, createTransport, type HttpRequest, type StintOptions, type Transport } from './transport.ts'

/** The operations of a service, as methods: `stint.contracts.create({…})` is `contracts.create`. */
export type Stint = Methods

type Input = Readonly<Record<string, unknown>>
type Options = ChangeOptions & ListOptions & Keyed & Versioned & Partial<Conditional>

/** A client of one service. It holds nothing open: there is nothing to close. */
export function createStint(options: StintOptions): Stint {
  const transport = createTransport(options)
  const groups = Object.entries(table).map(([group, verbs]) => [
    group,
    Object.fromEntries(Object.entries(verbs).map(([verb, line]) => [verb, methodOf(transport, line)])),
  ])
  // The cast holds because the table and the types of its methods are generated from the same definitions.
  return Object.fromEntries(groups) as Stint
}

/** The method of one line of the table: `GET /contracts/{contract_id}`, with the form of its answer unless that is JSON. */
function methodOf(transport: Transport, line: string) {
  const [method = '', template = '', form] = line.split(' ')
  const request = (input: Input, options: Options) => requestOf(method, template, input, options)
  if (form === undefined || form === 'file') {
    const read = form === 'file' ? readFile : readJson
    // Asynchronous, so that a mistake in the arguments rejects like every other.
    return async (input: Input = {}, options: Options = {}) => transport.send(request(input, options), options, read)
  }
  return (input: Input = {}, options: ListOptions = {}) => {
    const page = (cursor: string | undefined) =>
      transport.send(
        request({ ...input, ...(cursor !== undefined && { cursor }) }, options),
        options,
        readJson<Page<object>>,
      )
    if (form === 'page') return new Listing(page)
    return new FollowedListing(page, (id) => follow<object>(transport, request(input, {}), options, id))
  }
}

function requestOf(method: string, template: string, input: Input, options: Options): HttpRequest {
  const { dry_run, confirm, if_match, if_none_match, latest } = options
  const fields = Object.entries(input).filter(([name, value]) => !template.includes(`{${name}}`) && value !== undefined)
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => segment(name, input[name]))
  const isQuery = method === 'GET' || method === 'DELETE'
  const hasBody = !isQuery && fields.length > 0
  const hasKey = (method === 'POST' || method === 'PATCH') && !dry_run
  const key = hasKey ? (options.idempotency_key ?? crypto.randomUUID()) : undefined
  return {
    method,
    path: isQuery ? path + queryOf(fields) : path,
    headers: {
      ...(hasBody && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(if_match !== undefined && { 'If-Match': tagOf({ if_match }) }),
      ...(if_none_match !== undefined && { 'If-None-Match': tagOf({ if_none_match }) }),
      ...(latest && { 'Cache-Control': 'no-cache' }),
      ...(dry_run && { 'Stint-Dry-Run': 'true' }),
      ...(confirm !== undefined && { 'Stint-Confirm': confirm }),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : undefined,
    // A condition that was met the first time is not met again, so without a key the repeat would be refused.
    is_repeatable: key !== undefined || dry_run === true || (if_match ?? confirm) === undefined,
    is_removal: method === 'DELETE' && !dry_run,
  }
}

/** An id as a segment of a path. An address that is not of this operation must never come out, whatever the id is. */
function segment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} is required`)
  return encodeURIComponent(text)
}

/** A list is sent as repeated keys. */
function queryOf(fields: [string, unknown][]): string {
  const pairs = fields.flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const headers_of = new WeakMap<object, Headers>()

/** The headers that an answer came with: `ETag`, `Request-Id`, `Idempotent-Replayed`, `RateLimit`. */
export function headersOf(answer: object): Headers | undefined {
  return headers_of.get(answer)
}

function tagOf(condition: Record<string, string | object>): string {
  const [[name, version] = ['', '']] = Object.entries(condition)
  const tag = typeof version === 'string' ? version : headersOf(version)?.get('etag')
  if (!tag) throw new TypeError(`${name} is neither an ETag nor an answer that came with one`)
  return tag
}

async function readJson<Answer>({ response, deadline }: Begun): Promise<Answer> {
  try {
    // A 204 has no body: the operation answers nothing.
    if (response.status === 204) return undefined as Answer
    // Only what was asked for by `if_none_match` comes so, and its type has null.
    if (response.status === 304) return null as Answer
    const answer = (await response.json()) as Answer & object
    headers_of.set(answer, response.headers)
    return answer
  } finally {
    deadline.end()
  }
}

async function readFile({ response, deadline }: Begun): Promise<File> {
  try {
    const { headers } = response
    const name = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? ''
    const file = new File([await response.arrayBuffer()], name, { type: headers.get('content-type') ?? '' })
    headers_of.set(file, headers)
    return file
  } finally {
    deadline.end()
  }
}
