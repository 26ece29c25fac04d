import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageClassification,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { scopesToAskFor } from '#core/caller.ts'
import { isUtf8, readJson } from '#core/json.ts'
import { insufficientScope, unauthenticated } from '#core/problems.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import { isAddressedTo, isLoopbackOrigin } from '#core/request-target.ts'
import { networkOf } from '../https/address.ts'
import { type Admission, admitCaller } from '../request-head.ts'
import { Refusal, rpc_codes } from './refusal.ts'
import type { Tool } from './tool.ts'

/** The rules that a request is held to. */
export interface CheckParts extends Admission {
  /** Host names that are ours. */
  host_names: ReadonlySet<string>
  /** Origins whose pages may call, beside those of programs on the reader's own computer. */
  origins: ReadonlySet<string>
  tools: ReadonlyMap<string, Tool>
  limits: Admission['limits'] & { open: RateLimit }
  /** False for what opens nothing here by its form alone, whatever the database holds. */
  canOpen(authorization: string): boolean
  /** Protected resource metadata (RFC 9728) of the tool server, named in every challenge. */
  resource_metadata: string
}

/** One JSON-RPC message: a request, or without `id` a notification. */
export type Message = JSONRPCRequest | JSONRPCNotification

/** A message on its way to a tool, with what the checks learn about it. */
export interface ToolRequest {
  readonly http: FastifyRequest
  message: Message
  /** Of 2026-07-28 and later; null for the older era, which says its version in `initialize`. */
  classification: MessageClassification | null
  /** The tools that exist for this request: filters take some away. */
  tools: ReadonlyMap<string, Tool>
  /** A header took tools away, which no cache of the list would see. */
  is_private: boolean
}

/** Throws what it refuses with. */
type Check<Subject> = (subject: Subject, parts: CheckParts) => void | Promise<void>

/**
 * The checks in their order (authorization design §8). Step 1, HTTPS, is the listener's; 4, OPTIONS, is answered
 * 204 after the first two; 6, the size of the body, is the framework's. Shape and headers come before the credential: a
 * malformed request is malformed whoever sends it. Only what cannot be a credential of the tool server is refused before
 * its body is waited for.
 */
export const address_checks: readonly Check<FastifyRequest>[] = [
  checkHost, //         2  403
  checkOrigin, //       3  403
]
export const head_checks: readonly Check<FastifyRequest>[] = [
  checkMethod, //       5  405
  refuseImpossible, //     401, 429
]
const message_checks: readonly Check<ToolRequest>[] = [
  readMessage, //       7  415, 400 -32700, 400 -32600
  checkEra, //          8  400 -32022, 400 -32020
  readFilters, //          400 -32602
  resolveCredential, // 9  401, 429
  requireCaller, //     10 401
  refuseOtherFilters, //   400 -32602
  requireScope, //      11 403
  checkParams, //          -32602
]

export async function pass<Subject>(checks: readonly Check<Subject>[], subject: Subject, parts: CheckParts) {
  for (const check of checks) await check(subject, parts)
}

export async function checkMessage(http: FastifyRequest, parts: CheckParts): Promise<ToolRequest> {
  const unread = { jsonrpc: '2.0', method: '' } as const
  const call: ToolRequest = { http, message: unread, classification: null, tools: parts.tools, is_private: false }
  await pass(message_checks, call, parts)
  return call
}

/** A page that points its own name at us (DNS rebinding) names itself here: MCP transports, security warning. */
function checkHost({ host }: FastifyRequest, { host_names }: CheckParts): void {
  if (!isAddressedTo(host_names, host)) throw new Refusal(403, 'This host is not served here.')
}

/** Pages of other origins are refused before anything is looked at; programs send no `Origin`. `null` is never allowed. */
function checkOrigin({ headers: { origin } }: FastifyRequest, { origins }: CheckParts): void {
  if (origin === undefined || origins.has(origin) || isLoopbackOrigin(origin)) return
  throw new Refusal(403, 'Pages of this origin may not call the tool server.')
}

/** No sessions and no streams: GET and DELETE of older revisions have nothing to do here. */
function checkMethod({ method }: FastifyRequest): void {
  if (method !== 'POST') throw new Refusal(405, 'Only POST is served here.', { headers: { Allow: 'OPTIONS, POST' } })
}

/** Refuses what can be refused without the database and without the body. */
async function refuseImpossible(request: FastifyRequest, parts: CheckParts): Promise<void> {
  const { authorization } = request.headers
  if (authorization !== undefined && !parts.canOpen(authorization)) await admitCaller(parts, request)
}

/** One JSON-RPC request or notification. Batches, known to 2025-03-26 only, are refused in every revision. */
function readMessage(call: ToolRequest): void {
  const { body, headers } = call.http
  const type = headers['content-type']
  if (!isJsonContentType(type ?? null) || !isUtf8(type)) {
    throw new Refusal(415, 'Send Content-Type: application/json, in UTF-8.')
  }
  const read = readJson((body as Buffer | undefined) ?? new Uint8Array()) // bytes, as `mountToolServer` takes them
  if ('fault' in read) throw new Refusal(400, read.fault, { code: rpc_codes.parse_error })
  const fault = faultOfMessage(read.value)
  if (fault !== null) throw new Refusal(400, fault, { code: rpc_codes.invalid_request })
  call.message = read.value as Message // each member was looked at
  call.http.rpc_id = 'id' in call.message ? call.message.id : null
}

function faultOfMessage(body: unknown): string | null {
  if (Array.isArray(body)) return 'Send one message at a time; batches are not served.'
  if (!isObject(body)) return 'A message is a JSON object.'
  const { jsonrpc, method, id, params } = body
  if (jsonrpc !== '2.0') return 'A message has "jsonrpc": "2.0".'
  if (method === undefined) return 'A message names a method; responses are not expected here.'
  if (typeof method !== 'string') return 'The method is a text.'
  if ('id' in body && typeof id !== 'string' && !Number.isInteger(id)) return 'An id is a text or a whole number.'
  if ('params' in body && !isObject(params)) return 'The params are an object.'
  if (isObject(params) && '_meta' in params && !isObject(params._meta)) {
    return 'The params hold _meta, which is an object.'
  }
  return null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Revisions that carry their version in every request. */
const modern_versions = ['2026-07-28']

/** Every revision that is served, for clients of both eras; of the older ones the first is offered for an unknown one. */
export const supported_versions = [...modern_versions, '2025-11-25', '2025-06-18', '2025-03-26']

/** Tells the era of a message, and holds the headers of a modern one to its body (MCP 2026-07-28, standard headers). */
function checkEra(call: ToolRequest): void {
  const { message, http } = call
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((field) =>
    http.headers[field]?.toString(),
  )
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
  })
  if (outcome.kind === 'legacy') return
  if (outcome.kind === 'reject') {
    const { httpStatus, code, message, data } = outcome
    // The SDK quotes its validator on a member of the envelope; which member it is says as much.
    const key = (data as { envelope?: { key?: string } } | undefined)?.envelope?.key
    if (key === undefined) throw new Refusal(httpStatus, message, { code, data })
    const words = `Invalid params: _meta lacks ${key}, or has it in another form.`
    throw new Refusal(httpStatus, words, { code, data: { envelope: { key } } })
  }
  const { revision: requested = 'unknown' } = outcome.classification
  if (!modern_versions.includes(requested)) {
    const error = new UnsupportedProtocolVersionError({ supported: supported_versions, requested })
    throw new Refusal(400, error.message, { code: error.code, data: error.data })
  }
  if ('id' in message) checkStandardHeaders(message, { version, method, name })
  call.classification = outcome.classification
}

/** The field of the params that `Mcp-Name` repeats, by method. */
const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** The classification refused each header that is there and unlike the body, all but `Mcp-Name`. */
function checkStandardHeaders(
  { method, params }: Message,
  headers: Record<'version' | 'method' | 'name', string | undefined>,
): void {
  if (headers.version === undefined) throw mismatch('MCP-Protocol-Version is missing')
  if (headers.method === undefined) throw mismatch('Mcp-Method is missing')
  const field = Object.hasOwn(named, method) ? named[method] : undefined
  const value = field === undefined ? undefined : params?.[field]
  if (typeof value !== 'string') return
  if (headers.name === undefined) throw mismatch(`Mcp-Name is missing; it repeats params.${field}`)
  if (decoded(headers.name) !== value) throw mismatch(`Mcp-Name is not params.${field}`)
}

/** A header value as it is, or in base64 where it would not be plain ASCII. */
function decoded(header: string): string | null {
  const base64 = /^=\?base64\?(.*)\?=$/i.exec(header.trim())?.[1]
  if (base64 === undefined) return header.trim()
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString() : null
}

function mismatch(what: string): Refusal {
  return new Refusal(400, `Headers and body disagree: ${what}.`, { code: rpc_codes.header_mismatch })
}

/**
 * Keeps the tools that `?toolsets=…&readonly=1` and the headers of the same meaning leave; each of them can only take
 * away. An unknown name is refused, because a filter that cuts nothing would mislead.
 */
function readFilters(call: ToolRequest): void {
  const { query, headers } = call.http
  const in_headers = { toolsets: headers['x-mcp-toolsets'], readonly: headers['x-mcp-readonly'] }
  const known = [...new Set([...call.tools.values()].map(({ toolset }) => toolset))].sort()
  for (const { toolsets, readonly } of [query as typeof in_headers, in_headers]) {
    const names = toolsets === undefined ? known : namesIn(String(toolsets), known)
    const reads_only = switches.get(readonly)
    if (reads_only === undefined) throw invalid('readonly is 1 or 0.')
    if (names === known && !reads_only) continue
    const left = [...call.tools].filter(([, tool]) => names.includes(tool.toolset) && (tool.is_readonly || !reads_only))
    call.tools = new Map(left)
  }
  call.is_private = in_headers.toolsets !== undefined || in_headers.readonly !== undefined
}

/** After the credential, since one in the address is none and is answered as that (bearer.query). */
function refuseOtherFilters({ http }: ToolRequest): void {
  const other = Object.keys(http.query as object).find((name) => name !== 'toolsets' && name !== 'readonly')
  if (other !== undefined) throw invalid(`The address takes toolsets and readonly, not ${other}.`)
}

const switches = new Map<unknown, boolean>([
  ...[undefined, '0', 'false'].map((off) => [off, false] as const),
  ...['1', 'true'].map((on) => [on, true] as const),
])

function namesIn(list: string, known: string[]): string[] {
  const names = list.split(',').flatMap((name) => name.trim() || [])
  if (names.every((name) => known.includes(name))) return names
  throw invalid(`toolsets are ${known.join(', ')}.`, { toolsets: known })
}

const invalid = (message: string, data?: object) => new Refusal(400, message, { code: rpc_codes.invalid_params, data })

/** A credential that is there must be good, whatever the method; without one a network may ask so often. */
async function resolveCredential({ http }: ToolRequest, parts: CheckParts): Promise<void> {
  if (http.headers.authorization === undefined) parts.limits.open.take(networkOf(http.client_address))
  else await admitCaller(parts, http)
}

/** Invoking a tool needs an access token (interface specification 4.6, 7); everything else is open to anybody. */
function requireCaller({ http, message }: ToolRequest): void {
  if (!http.caller && isToolCall(message)) throw unauthenticated('This tool needs an access token.')
}

/**
 * A caller who lacks the scope of a tool is asked for it (step-up: RFC 6750 §3.1, MCP authorization). Any one of an
 * operation's scopes suffices, so the challenge names the least. A role that forbids the call, or cannot give the
 * scope, is not challenged: a client would ask for ever. Its refusal is the operation's.
 */
function requireScope(call: ToolRequest): void {
  const { caller } = call.http
  const tool = calledTool(call)
  if (!caller || !tool) return
  const required_scopes = scopesToAskFor(caller, tool.operation.definition)
  const [least] = [...required_scopes].sort()
  if (least !== undefined)
    throw insufficientScope(`This tool needs the scope ${least}.`, { members: { required_scopes } })
}

/** The params of a call, before the SDK looks at them: its words for a mistake are its validator's. */
function checkParams({ message }: ToolRequest): void {
  if (!isToolCall(message)) return
  const { name, arguments: given } = message.params ?? {}
  if (typeof name !== 'string') throw invalidParams('name is the name of a tool, a text')
  if (given !== undefined && !isObject(given)) {
    throw invalidParams('arguments is an object whose members are the arguments of the tool')
  }
}

function invalidParams(what: string): Refusal {
  return new Refusal(200, `Invalid params: ${what}.`, { code: rpc_codes.invalid_params })
}

function isToolCall(message: Message): boolean {
  return 'id' in message && message.method === 'tools/call'
}

/** The tool that a request calls, where it names one that exists for it. */
export function calledTool({ message, tools }: ToolRequest): Tool | undefined {
  const name = isToolCall(message) ? message.params?.name : undefined
  return typeof name === 'string' ? tools.get(name) : undefined
}
