import type { InboundModernRoute, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import type { Refusal } from './refusal.ts'
import { everyTool, type ToolFilter } from './tool-filter.ts'

/** One JSON-RPC message: a request, or without `id` a notification. */
export type Message = JSONRPCRequest | JSONRPCNotification

/** Which era of the protocol serves a message: 2026-07-28 and later by its classification, the older ones as they came. */
export type Era = Pick<InboundModernRoute, 'classification'> | 'older'

/** What the checks learn about one request, from the first to the last. */
export interface Exchange {
  readonly request: FastifyRequest
  message: Message
  era: Era
  filter: ToolFilter
  /** Null for requests without a credential. */
  caller: Caller | null
  /** What goes into the answer as JSON that is there already, in place of an empty list that the SDK is given. */
  written: { placeholder: '"tools":[]' | '"content":[]'; members: string } | null
  /** One of our handlers was reached. */
  handled: boolean
  /** What the call came to when it is not the protocol's answer. */
  refusal: Refusal | null
}

/** Stands for the message until it has been read. */
const unread: Message = { jsonrpc: '2.0', method: '' }

export function openExchange(request: FastifyRequest): Exchange {
  return {
    request,
    message: unread,
    era: 'older',
    filter: everyTool,
    caller: null,
    written: null,
    handled: false,
    refusal: null,
  }
}

/** The id to answer with; null for what has none, as JSON-RPC 2.0 §5 asks. */
export function idOf({ message }: Exchange): string | number | null {
  return 'id' in message ? message.id : null
}

/** The tool that a request calls, by the name it gave. */
export function calledTool({ message }: Exchange): string | null {
  const isCall = 'id' in message && message.method === 'tools/call'
  return isCall && typeof message.params?.name === 'string' ? message.params.name : null
}

/** One step of the pipeline; throws its `Refusal`. */
export type Check = (exchange: Exchange) => void | Promise<void>
