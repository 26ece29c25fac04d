import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Problem } from '#core/problems/problem.ts'
import { bodyTooLarge } from '#core/problems/problems.ts'
import { type Exchange, idOf } from './exchange.ts'
import { defect, Refusal, rpcCodes } from './refusal.ts'

const json_type = 'application/json; charset=utf-8'

/**
 * Sends what the SDK answered, with what is written already in its place: the SDK would check and print a list of 90 KB,
 * or an answer of 40, which took longer than the query behind it.
 */
export async function sendResponse(reply: FastifyReply, exchange: Exchange, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type')
  reply.code(response.status)
  if (response.body === null) return reply.send()
  if (type?.startsWith('text/event-stream')) return reply.type(type).send(Readable.from(response.body))
  const text = await response.text()
  if (sdk_fault.test(text)) throw faultOf(exchange, reply.request.id, text)
  const { written } = exchange
  // In a text of the caller's, such as the id, a quotation mark would stand behind a backslash.
  return reply.type(json_type).send(written ? text.replace(written.placeholder, () => written.members) : text)
}

/**
 * What the SDK calls an internal error, or no JSON although it was given a message that was read, with the words of
 * whatever was thrown. In a text of the caller's a backslash would stand before each quotation mark.
 */
const sdk_fault = /"error":\{"code":-32(?:603|700),/

/** It is params of another form than the method has, or nested too deep to look at, unless a handler was reached. */
function faultOf({ handled }: Exchange, request_id: string, text: string): Refusal {
  if (handled) return defect(new Error(`the SDK refused our answer: ${text}`), request_id)
  return new Refusal({
    status: 200,
    code: rpcCodes.invalid_params,
    message: 'Invalid params: they do not fit this method.',
  })
}

/** Sends a refusal as JSON-RPC error, whose id is the request's as far as it was read. */
export function sendRefusal(reply: FastifyReply, error: unknown, exchange: Exchange | null): FastifyReply {
  const { status, code, message, data, headers, problem } = refusalOf(error, reply.request.id).details
  reply.request.problem = problem
  return reply
    .code(status)
    .headers(headers ?? {})
    .type(json_type)
    .send(JSON.stringify({ jsonrpc: '2.0', id: exchange && idOf(exchange), error: { code, message, data } }))
}

function refusalOf(error: unknown, request_id: string): Refusal {
  if (error instanceof Refusal) return error
  // Requests that every surface refuses by their head: a packed body, a broken query.
  if (error instanceof Problem && error.definition.status < 500) {
    const { definition, details, message } = error
    const { status, advice } = definition
    return new Refusal({
      ...{ status, code: status, message: details.detail ? message : advice, problem: error },
      ...(details.headers && { headers: details.headers }),
    })
  }
  const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal({ status: 413, code: 413, message: 'Send at most 1 MiB.', problem: bodyTooLarge() })
  }
  // What else the framework refuses, and an upload that its sender broke off.
  if (statusCode >= 400 && statusCode < 500) {
    return new Refusal({ status: 400, code: rpcCodes.parse_error, message: 'The body could not be read.' })
  }
  return defect(error, request_id)
}
