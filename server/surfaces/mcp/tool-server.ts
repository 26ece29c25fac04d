import {
  type CallToolResult,
  type InputRequiredResult,
  PerRequestHTTPServerTransport,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Answer, type Input, invoke, type Runtime } from '#core/invoke.ts'
import { counter } from '#core/metrics.ts'
import { pathFields } from '#core/operation.ts'
import { type FieldError, type Problem, unauthenticated, unavailable } from '#core/problems.ts'
import type { Page } from '#core/schema/schema.ts'
import { confirmOf, idempotencyKeyOf, refusalOfFields, traceIdOf } from '../request-head.ts'
import { problemOf } from '../send-problem.ts'
import { calledTool, supported_versions, type ToolRequest } from './checks.ts'
import { agreementIn, askToAgree, canAsk, type Rehearsal } from './confirmation.ts'
import { isOverHttp, Refusal, rpc_codes } from './refusal.ts'
import { limit_default, type Tool } from './tool.ts'

/** A response over HTTP: the JSON text, or the events where the server streams. */
export interface Served {
  status: number
  type: string | null
  body: string | ReadableStream | null
}

const list_ttl_ms = 300_000

const instructions = `Stint holds the contracts of an organization with its workers, and what follows from them. Amounts are \
decimal texts in the currency beside them, dates are YYYY-MM-DD, ids are UUIDs that lists yield. A field that an answer \
does not show is empty, unless \`withheld\` names it: then it has a value that this connection may not see, or none. Every \
tool that changes something takes \`dry_run: true\`: it then only tells what it would do. Tools that sign, end or pay do so \
only with \`confirm\`: the \`dry_run.digest\` of that, once the user has agreed to it.`

const capabilities = { tools: {} }

/** The empty lists that the SDK answers with, in whose place a list of tools or a result is written. */
const places: Readonly<Record<string, string>> = { 'tools/list': '"tools":[]', 'tools/call': '"content":[]' }

/** The SDK's internal error, or "no JSON" although it was given a message that was read, in the words of what was thrown. */
const sdk_fault = /"error":\{"code":-32(?:603|700),/

/**
 * Serves one checked message with the official SDK: one low-level server, the same for both eras. It answers with an empty
 * list, whose place what was asked for takes: the SDK would check and print a list of 90 kB, or a result of 40, which took
 * longer than the query behind it. In a text of the caller's, such as the id, a quotation mark stands behind a backslash:
 * what is looked for is not in it.
 */
export async function serveTools(call: ToolRequest, runtime: Runtime, version: string): Promise<Served> {
  const served = await serve(call, emptyServer(call, version))
  const { body } = served
  const place = places[call.message.method]
  if (typeof body !== 'string') return served
  // Params of another form than the method has, or nested too deep to look at.
  if (sdk_fault.test(body)) throw invalid('Invalid params: they do not fit this method.')
  if (place === undefined || !body.includes(place)) return served
  const written = call.message.method === 'tools/list' ? listTools(call) : await callTool(call, runtime)
  // A question to the user is not a result with content: the SDK frames it as what it is.
  if (typeof written !== 'string') return serve(call, emptyServer(call, version, written))
  return { ...served, body: body.replace(place, () => written) }
}

function emptyServer(
  { is_private }: ToolRequest,
  version: string,
  result: CallToolResult | InputRequiredResult = { content: [] },
): Server {
  const server = new Server(
    { name: 'stint', title: 'Stint', version },
    {
      capabilities,
      instructions,
      supportedProtocolVersions: supported_versions,
      cacheHints: {
        'tools/list': { ttlMs: list_ttl_ms, cacheScope: is_private ? 'private' : 'public' },
        'server/discover': { ttlMs: list_ttl_ms, cacheScope: 'public' },
      },
      jsonSchemaValidator: no_validator,
    },
  )
  // The SDK would name the revisions of its newer era only, though the others are served without a handshake too.
  const discovered = { supportedVersions: supported_versions, capabilities, instructions }
  server.setRequestHandler('server/discover', () => discovered)
  server.setRequestHandler('tools/list', () => ({ tools: [] }))
  server.setRequestHandler('tools/call', () => result)
  return server
}

/** The SDK would make one for each server; it is for what servers ask of clients, and this one asks nothing. */
const no_validator = {
  getValidator(): never {
    throw new Error('the tool server asks nothing of its clients')
  },
}

const invalid = (message: string) => new Refusal(200, message, { code: rpc_codes.invalid_params })

/** Hands a message to a server of its own. `is_streamed`: as events, where the server has something to tell on the way. */
export async function serve(call: ToolRequest, server: Server, is_streamed = false): Promise<Served> {
  const response = await (call.classification ? serveModern(call, server) : serveOlder(call, server, is_streamed))
  const { status, headers } = response
  const type = headers.get('content-type')
  if (type?.startsWith('text/event-stream')) return { status, type, body: response.body }
  const body = response.body && (await response.text())
  await server.close()
  return { status, type: body === null ? null : 'application/json; charset=utf-8', body }
}

async function serveModern({ message, classification }: ToolRequest, server: Server): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification: classification ?? { era: 'modern' } })
  await server.connect(transport)
  return transport.handleMessage(message)
}

/** Revisions before 2026-07-28, without sessions. A client that accepts only one of the media types is served too. */
async function serveOlder({ http, message }: ToolRequest, server: Server, is_streamed: boolean): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !is_streamed })
  await server.connect(transport)
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
  const version = http.headers['mcp-protocol-version']
  if (version !== undefined) headers.set('mcp-protocol-version', String(version))
  // The address has no meaning: the transport looks at method and headers only.
  const post = new Request('https://localhost/mcp', { method: 'POST', headers })
  return transport.handleRequest(post, { parsedBody: message })
}

const call_ms_max = 30_000

/** Characters of JSON that one call hands to a model. */
const characters_max = 40_000

/** Characters that a single text keeps when an answer without rows is too long. */
const text_characters_max = 2_000

/** Characters of what a change would answer, for the user who is to agree to it. */
const shown_characters_max = 8_000

/** Room for the envelope of a list beside its rows: a cursor, flags, the total. */
const envelope_characters = 1_000

const tool_calls = counter(
  'tool_calls_total',
  'Calls of tools by their outcome; "unknown" are names that no tool has.',
  ['tool', 'outcome'],
)

function listTools({ message, tools }: ToolRequest): string {
  if (message.params?.cursor !== undefined) throw invalid('The list has one page and no cursor.')
  return `"tools":[${[...tools.values()].map((tool) => tool.listed).join(',')}]`
}

/**
 * Performs the operation of a tool as a REST call would; answers the members of a `CallToolResult` as JSON. What is about
 * the call is a result for the model; what is about caller or service, and a mistake of ours, is thrown.
 */
async function callTool(request: ToolRequest, runtime: Runtime): Promise<string | InputRequiredResult> {
  const { http } = request
  const tool = calledTool(request)
  // Shown, a question to the user, refused by the operation, refused over HTTP, or ended by a defect of ours.
  const count = (outcome: 'ok' | 'asked' | 'problem' | 'refused' | 'defect') =>
    tool_calls.inc({ tool: tool?.name ?? 'unknown', outcome })
  if (!tool) {
    count('refused')
    throw invalid('There is no tool of this name; tools/list names them.')
  }
  http.operation = tool.operation.definition.id
  try {
    const result = await inTime(showTool(runtime, tool, callOf(request, tool)))
    count(typeof result === 'string' ? 'ok' : 'asked')
    return result
  } catch (error) {
    const problem = problemOf(error)
    if (isOverHttp(problem) || problem.definition.status >= 500) {
      count(isOverHttp(problem) ? 'refused' : 'defect')
      throw problem
    }
    http.problem = problem
    count('problem')
    return refusedResult(tool, problem)
  }
}

/** The arguments of a call as its operation takes them: a list that names no limit is short, those about the call are ours. */
function callOf(request: ToolRequest, tool: Tool) {
  const { http, message } = request
  const { operation, is_list } = tool
  if (!http.caller) throw unauthenticated()
  // The SDK has checked that the arguments, where there are any, are an object.
  const given = (message.params?.arguments ?? {}) as Input
  const { input, ...about } = tool.is_readonly
    ? { input: given, is_unconfirmed: false, is_declined: false }
    : aboutCall(tool, given, agreementIn(request))
  return {
    operation,
    caller: http.caller,
    input: is_list ? { limit: limit_default, ...input } : input,
    from_text: false,
    request_id: http.id,
    trace_id: traceIdOf(http),
    address: http.client_address,
    surface: 'mcp',
    ...about,
    can_ask: canAsk(request),
  }
}

/** The arguments of a change that are about the call itself. What signs, ends or pays is only rehearsed unless it is confirmed. */
function aboutCall(
  { operation, needs_confirm }: Tool,
  { idempotency_key, dry_run = false, confirm: told, ...rest }: Input,
  agreed: unknown,
) {
  const confirm = told ?? agreed ?? undefined
  if (typeof dry_run !== 'boolean') throw refusalOfFields(['dry_run'], 'must be true or false')
  const is_keyed = operation.is_repeatable
  const is_unconfirmed = needs_confirm && !dry_run && confirm === undefined
  return {
    input: is_keyed || idempotency_key === undefined ? rest : { ...rest, idempotency_key },
    dry_run: dry_run || is_unconfirmed,
    is_unconfirmed,
    is_declined: agreed === null,
    confirm: confirmOf(confirm, 'confirm'),
    idempotency_key: is_keyed ? idempotencyKeyOf(idempotency_key, 'idempotency_key') : undefined,
  }
}

type ToolCall = ReturnType<typeof callOf>

/** Answers in time. The work of a late call goes on and may still commit; a repeat with the same key learns what came of it. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The call took too long.')), call_ms_max)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Measured with its null members, since that is what `structuredContent` holds. */
const fits = (json: string) => json.length <= characters_max

async function showTool(runtime: Runtime, tool: Tool, call: ToolCall): Promise<string | InputRequiredResult> {
  const answer = await invokeTool(runtime, tool, call)
  if (call.is_unconfirmed) return unconfirmed(tool, call, answer)
  const json = jsonOf(tool, answer)
  if (fits(json)) return shownResult(json)
  return tool.is_list ? fewerRows(runtime, tool, call, answer) : shorterTexts(tool, call, answer)
}

async function invokeTool(runtime: Runtime, { omits }: Tool, call: ToolCall): Promise<Answer> {
  const answer = await invoke(runtime, call)
  if (omits.length === 0) return answer
  const page = answer.body as Page<Record<string, unknown>>
  const kept = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !omits.includes(name)))
  return { ...answer, body: { ...page, data: page.data.map(kept) } }
}

/** Every output of a tool is an object; 204 has none. What is withheld is null like what is empty, so it is named. */
function jsonOf({ operation }: Tool, { body, withheld }: Answer, change?: typeof shortText): string {
  if (withheld.length === 0) return JSON.stringify(body ?? {}, change)
  return JSON.stringify({ ...(body as object), withheld: operation.sensitive.fieldsOf(withheld) }, change)
}

/** Cuts long texts as they are written. */
function shortText(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= text_characters_max) return value
  return `${value.slice(0, text_characters_max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Reads once more, as many rows as fit, so that the cursor goes on exactly behind the last row shown. */
async function fewerRows(runtime: Runtime, tool: Tool, call: ToolCall, first: Answer): Promise<string> {
  const limit = Math.max(1, rowsThatFit((first.body as Page<unknown>).data))
  const again = await invokeTool(runtime, tool, { ...call, input: { ...call.input, limit } })
  const page = again.body as Page<unknown>
  const json = jsonOf(tool, again)
  const shown = fits(json) ? json : jsonOf(tool, again, shortText)
  const rest = page.has_more
    ? ` For the next ones call ${tool.name} with the same arguments and cursor ${JSON.stringify(page.cursor)}.`
    : ''
  return shownResult(shown, `These are ${page.data.length} of ${page.total_count} rows, as many as fit.${rest}`)
}

function shorterTexts(tool: Tool, { input }: ToolCall, answer: Answer): string {
  const { path } = tool.operation.definition
  const filled = pathFields(path).reduce((text, name) => text.replace(`:${name}`, String(input[name])), path)
  const note = `Long texts are cut; GET ${answer.location ?? filled} of the REST API has them whole.`
  return shownResult(jsonOf(tool, answer, shortText), note)
}

/** An answer as JSON, with notes for the model about what it does not show. */
function shownResult(json: string, ...notes: string[]): string {
  return `${contentOf([compactJson(json), ...notes])},"structuredContent":${json}`
}

/**
 * The JSON of an answer as a model reads it: members that are null say nothing there. Taken out of the text, since a copy
 * without them took 150 µs for 20 contracts. No text can look like a member: its quotation marks stand behind backslashes,
 * and behind the one that ends it there is no letter. Names of other characters than ours keep their null.
 */
export function compactJson(json: string): string {
  return json.replaceAll(/,"[a-z0-9_]+":null/g, '').replaceAll(/\{"[a-z0-9_]+":null,?/g, '{')
}

/** Counts the first rows that fit an answer. */
function rowsThatFit(rows: readonly unknown[]): number {
  let characters = envelope_characters
  const tooMany = rows.findIndex((row) => {
    characters += JSON.stringify(row).length + 1
    return characters > characters_max
  })
  return tooMany === -1 ? rows.length : tooMany
}

/** A refusal of the operation: what is wrong, with which argument, and what to do about it. */
function refusedResult(tool: Tool, { definition, details }: Problem): string {
  const { code, status, title, advice } = definition
  const { detail = advice, errors = status === 404 ? missing(tool) : [] } = details
  // One line for each argument, whatever is wrong with it.
  const places = Map.groupBy(errors, ({ pointer }) => pointer || 'arguments')
  const faults = [...places].map(([place, each]) => `${place}: ${each.map(({ message }) => message).join('; ')}`)
  const first = `${code}: ${detail === advice ? title : detail}`
  const text = [first, ...faults, `Next: ${next_steps[code] ?? advice}`].join('\n')
  return `${contentOf([text])},"isError":true`
}

/** A change that waits for its confirmation: its user is asked, where the client can; else the model is told how to go on. */
function unconfirmed({ name, title }: Tool, { can_ask, is_declined, input }: ToolCall, { body }: Answer) {
  // The cast holds because the answer is that of a dry run.
  const { dry_run, ...changed } = body as { dry_run: Rehearsal }
  const { digest, ...effects } = dry_run
  if (is_declined) return `${contentOf(['declined: the user did not agree, and nothing was done.'])},"isError":true`
  if (can_ask) return askToAgree(title, input, dry_run)
  const next = `Next: show the user what it would do; once they agree, call ${name} again with the same arguments and confirm ${JSON.stringify(digest)}.`
  const whole = compactJson(JSON.stringify(changed))
  const shown = whole.length > shown_characters_max ? `${whole.slice(0, shown_characters_max)}…` : whole
  const text = [
    `confirmation_required: nothing was done yet. It would tell and book: ${JSON.stringify(effects)}`,
    `This would be its state then: ${shown}`,
    next,
  ]
  return `${contentOf([text.join('\n')])},"isError":true`
}

/** A row that is not there was named by the ids of the call; which of several was wrong is for the caller to see. */
function missing({ operation, sourceOf }: Tool): FieldError[] {
  const ids = [...operation.path_fields]
  const fault = ids.length > 1 ? 'this id or another one names nothing here' : 'names nothing here'
  return ids.map((name) => ({ pointer: `/${name}`, message: `${fault}; use ${sourceOf(name)}` }))
}

/** The advice of REST about a credential is not for a model to follow: it can only say what its user could do. */
const next_steps: Readonly<Record<string, string>> = {
  insufficient_scope: 'Tell the user; repeating the call will not help.',
  sensitive_data_required: 'Tell the user, who can connect again and tick this category of sensitive data.',
}

function contentOf(texts: readonly string[]): string {
  return `"content":${JSON.stringify(texts.map((text) => ({ type: 'text', text })))}`
}
