import type { IncomingHttpHeaders } from 'node:http'
import { classifyInboundRequest, UnsupportedProtocolVersionError } from '@modelcontextprotocol/server'
import type { Check, Message } from '../exchange.ts'
import { modern_versions, supported_versions } from '../protocol-versions.ts'
import { Refusal, rpcCodes } from '../refusal.ts'

/** Tells the era of a message, and holds the headers of a modern one to its body (MCP 2026-07-28, standard headers). */
export const classify: Check = (exchange) => {
  const { message, request } = exchange
  const { version, method, name } = standardHeaders(request.headers)
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
  })
  if (outcome.kind === 'reject') throw new Refusal({ ...inOurWords(outcome), status: outcome.httpStatus })
  if (outcome.kind === 'legacy') return
  checkVersion(outcome.classification.revision)
  if ('id' in message) checkHeaders(message, { version, method, name })
  exchange.era = { classification: outcome.classification }
}

interface Rejection {
  code: number
  message: string
  data?: unknown
}

/** The SDK quotes its validator on a member of the envelope; which member it is says as much. */
function inOurWords({ code, message, data }: Rejection): Rejection {
  const { envelope } = (data ?? {}) as { envelope?: { key?: string } }
  if (envelope?.key === undefined) return { code, message, ...(data !== undefined && { data }) }
  const { key } = envelope
  return {
    code,
    message: `Invalid params: _meta lacks ${key}, or has it in another form.`,
    data: { envelope: { key } },
  }
}

interface StandardHeaders {
  version: string | undefined
  method: string | undefined
  name: string | undefined
}

function standardHeaders(headers: IncomingHttpHeaders): StandardHeaders {
  const text = (name: string) => headers[name]?.toString()
  return { version: text('mcp-protocol-version'), method: text('mcp-method'), name: text('mcp-name') }
}

function checkVersion(requested: string | undefined): void {
  if (requested !== undefined && modern_versions.includes(requested)) return
  const { code, message, data } = new UnsupportedProtocolVersionError({
    supported: supported_versions,
    requested: requested ?? 'unknown',
  })
  throw new Refusal({ status: 400, code, message, data })
}

/** The field of the params that `Mcp-Name` repeats, by method. */
const named = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** A header that is there and unlike the body was refused by the classification already, all but `Mcp-Name`. */
function checkHeaders({ method, params }: Message, headers: StandardHeaders): void {
  if (headers.version === undefined) throw mismatch('MCP-Protocol-Version is missing')
  if (headers.method === undefined) throw mismatch('Mcp-Method is missing')
  const field = named.get(method)
  const value = field === undefined ? undefined : params?.[field]
  if (field === undefined || typeof value !== 'string') return
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
  return new Refusal({ status: 400, code: rpcCodes.header_mismatch, message: `Headers and body disagree: ${what}.` })
}
