import { type CallToolResult, ProtocolError, Server } from '@modelcontextprotocol/server'
import { refusalOf } from '#core/answer.ts'
import { isRepeatable } from '#core/operation.ts'
import { Problem } from '#core/problems/problem.ts'
import { unauthenticated, unavailable } from '#core/problems/problems.ts'
import type { Runtime } from '#core/runtime.ts'
import { idempotencyKeyOf } from '../idempotency-key.ts'
import { traceIdOf } from '../trace-id.ts'
import { callTool, type ToolCall } from './call-tool.ts'
import { calledTool, type Exchange } from './exchange.ts'
import { supported_versions } from './protocol-versions.ts'
import { defect, refusalOver, rpcCodes } from './refusal.ts'
import type { Tool } from './tool.ts'
import { passes } from './tool-filter.ts'
import { type ToolOutcome, toolCalls } from './tool-metrics.ts'
import { type ProblemDocument, refusedResult, type ToolResult } from './tool-result.ts'

export interface ToolServerParts {
  runtime: Runtime
  tools: ReadonlyMap<string, Tool>
  version: string
  /** Begins every challenge. */
  challenge: string
}

const call_ms_max = 30_000
const list_ttl_ms = 300_000

const instructions = `Stint holds the contracts of an organization with its workers, and what follows from them. Amounts are \
decimal texts in the currency beside them, dates are YYYY-MM-DD, ids are UUIDs that lists yield. A field that an answer \
does not show is empty, unless \`withheld\` names it: then it has a value that this connection may not see, or none.`

const capabilities = { tools: {} }

/** Serves one exchange with the official SDK: one low-level server, two handlers, the same for both eras. */
export function createToolServer(parts: ToolServerParts): (exchange: Exchange) => Server {
  const info = { name: 'stint', title: 'Stint', version: parts.version }
  return (exchange) => {
    const cacheScope = exchange.filter.is_private ? 'private' : 'public'
    const server = new Server(info, {
      capabilities,
      instructions,
      supportedProtocolVersions: supported_versions,
      cacheHints: {
        'tools/list': { ttlMs: list_ttl_ms, cacheScope },
        'server/discover': { ttlMs: list_ttl_ms, cacheScope: 'public' },
      },
      jsonSchemaValidator: noValidator,
    })
    // The SDK would name the revisions of its newer era only, though the others are served without a handshake too.
    server.setRequestHandler('server/discover', () => ({
      supportedVersions: supported_versions,
      capabilities,
      instructions,
    }))
    server.setRequestHandler('tools/list', ({ params }) => listTools(parts, exchange, params?.cursor))
    server.setRequestHandler('tools/call', () => answerCall(parts, exchange))
    return server
  }
}

/** The SDK would make one for each server; it is for what servers ask of clients, and this one asks nothing. */
const noValidator = {
  getValidator(): never {
    throw new Error('the tool server asks nothing of its clients')
  },
}

/** The tools themselves are written into the answer as they were serialised at the start. */
function listTools({ tools }: ToolServerParts, exchange: Exchange, cursor: string | undefined) {
  exchange.handled = true
  if (cursor !== undefined) throw invalid('The list has one page and no cursor.')
  const listed = [...tools.values()].filter((tool) => passes(exchange.filter, tool))
  const members = `"tools":[${listed.map((tool) => tool.listed).join(',')}]`
  exchange.written = { placeholder: '"tools":[]', members }
  return { tools: [] }
}

/** Catches everything: the SDK would show the message of whatever is thrown to the client. */
async function answerCall(parts: ToolServerParts, exchange: Exchange): Promise<CallToolResult> {
  exchange.handled = true
  const tool = parts.tools.get(calledTool(exchange) ?? '')
  if (!tool || !passes(exchange.filter, tool)) {
    toolCalls.inc({ tool: 'unknown', outcome: 'refused' satisfies ToolOutcome })
    throw invalid('There is no tool of this name; tools/list names them.')
  }
  const count = (outcome: ToolOutcome) => toolCalls.inc({ tool: tool.name, outcome })
  exchange.request.operation = tool.operation.definition.id
  try {
    const result = await inTime(callTool(parts.runtime, tool, callOf(exchange, tool)))
    count(result.is_error ? 'problem' : 'ok')
    return written(exchange, result)
  } catch (error) {
    return refused(parts, exchange, tool, error, count)
  }
}

/** Gives the SDK an empty result, into which the members go when it is sent. */
function written(exchange: Exchange, { members }: ToolResult): CallToolResult {
  exchange.written = { placeholder: '"content":[]', members }
  return { content: [] }
}

function callOf({ request, message, caller }: Exchange, { operation }: Tool): ToolCall {
  if (!caller) throw unauthenticated()
  // The SDK has checked that the arguments, where there are any, are an object.
  const given = (message.params?.arguments ?? {}) as Record<string, unknown>
  const { idempotency_key, ...rest } = given
  const isKeyed = isRepeatable(operation.definition)
  return {
    caller,
    input: isKeyed ? rest : given,
    request_id: request.id,
    trace_id: traceIdOf(request.headers.traceparent),
    address: request.client_address,
    surface: 'mcp',
    idempotency_key: isKeyed ? idempotencyKeyOf(idempotency_key, 'idempotency_key') : undefined,
  }
}

/** What is about the call is shown to the model; what is about caller or service, and a defect, ends the exchange. */
function refused(
  { runtime, challenge }: ToolServerParts,
  exchange: Exchange,
  tool: Tool,
  error: unknown,
  count: (outcome: ToolOutcome) => void,
): CallToolResult {
  const { request } = exchange
  const overHttp = refusalOver(error, challenge, true)
  if (!overHttp && error instanceof Problem && error.definition.status < 500) {
    request.problem = error
    count('problem')
    const { body } = refusalOf(runtime, error, request.id)
    // The cast holds because a problem document has these members.
    return written(exchange, refusedResult(tool, body as unknown as ProblemDocument))
  }
  count(overHttp ? 'refused' : 'defect')
  exchange.refusal = overHttp ?? defect(error, request.id)
  return { content: [] }
}

/** What the call was doing goes on and may still commit; a repeat with the same key learns what came of it. */
async function inTime(work: Promise<ToolResult>): Promise<ToolResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The call took too long.')), call_ms_max)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    // Whatever becomes of work that came too late is nobody's answer.
    work.catch(() => undefined)
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(rpcCodes.invalid_params, message)
}
