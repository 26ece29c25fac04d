import { isJsonContentType } from '@modelcontextprotocol/server'
import { isUtf8, readJson } from '#core/values/json.ts'
import type { Check, Message } from '../exchange.ts'
import { Refusal, rpcCodes } from '../refusal.ts'

/** One JSON-RPC request or notification. Batches, known to 2025-03-26 only, are refused in every revision. */
export const readMessage: Check = (exchange) => {
  const { body, headers } = exchange.request
  const type = headers['content-type']
  if (!isJsonContentType(type ?? null) || !isUtf8(type)) {
    throw new Refusal({ status: 415, code: 415, message: 'Send Content-Type: application/json, in UTF-8.' })
  }
  exchange.message = messageOf(parse(body as Buffer | undefined))
}

function parse(body: Buffer | undefined): unknown {
  const read = readJson(body ?? new Uint8Array())
  if ('fault' in read) throw new Refusal({ status: 400, code: rpcCodes.parse_error, message: read.fault })
  return read.value
}

function messageOf(body: unknown): Message {
  if (Array.isArray(body)) throw invalid('Send one message at a time; batches are not served.')
  if (typeof body !== 'object' || body === null) throw invalid('A message is a JSON object.')
  const { jsonrpc, method, id, params } = body as Record<string, unknown>
  if (jsonrpc !== '2.0') throw invalid('A message has "jsonrpc": "2.0".')
  if (method === undefined) throw invalid('A message names a method; responses are not expected here.')
  if (typeof method !== 'string') throw invalid('The method is a text.')
  if ('id' in body && typeof id !== 'string' && !Number.isInteger(id))
    throw invalid('An id is a text or a whole number.')
  if ('params' in body && !isObject(params)) throw invalid('The params are an object.')
  if ('_meta' in ((params ?? {}) as object) && !isObject((params as Record<string, unknown>)._meta))
    throw invalid('The params hold _meta, which is an object.')
  // The cast holds because each member was looked at.
  return body as Message
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): Refusal {
  return new Refusal({ status: 400, code: rpcCodes.invalid_request, message })
}
