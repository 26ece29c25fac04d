import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { compressAnswers } from '../content-encoding.ts'
import { prefersPage } from '../prefers-page.ts'
import { type Check, type Exchange, openExchange } from './exchange.ts'
import type { Pipeline } from './pipeline.ts'
import { sendRefusal, sendResponse } from './send-answer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Which way into the operations the request took, where it is not REST. */
    surface: string | undefined
    exchange: Exchange | null
  }
}

/** Clients keep the address as somebody typed it, so both work. */
const mcp_paths = ['/mcp', '/mcp/']

const exposed_headers = 'www-authenticate, retry-after, request-id, mcp-protocol-version'
const preflight_headers = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': [
    ...['authorization', 'content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
    ...['mcp-session-id', 'last-event-id', 'x-mcp-toolsets', 'x-mcp-readonly'],
  ].join(', '),
}

/**
 * Puts a pipeline at its path, and for a browser that comes there a page that says what the address is for. It is opened
 * by the first request, since loading the SDK takes as long as the start.
 */
export function mountPipeline(
  app: FastifyInstance,
  open: () => Promise<Pipeline>,
  sendPage?: (reply: FastifyReply) => FastifyReply,
): void {
  let opened: Promise<Pipeline> | undefined
  const pipeline = () => {
    opened ??= open()
    return opened
  }
  app.decorateRequest('surface', undefined)
  app.decorateRequest('exchange', null)
  takeBodiesAsBytes(app)
  compressAnswers(app)
  app.setErrorHandler((error, request, reply) => sendRefusal(reply, error, request.exchange))
  app.addHook('onRequest', async (request, reply) => {
    request.surface = 'mcp'
    request.operation = 'mcp'
    request.exchange = openExchange(request)
    await run((await pipeline()).host_and_origin, request.exchange)
    allowOrigin(request, reply)
  })
  for (const url of mcp_paths) {
    app.options(url, (_, reply) => reply.code(204).headers(preflight_headers).send())
    app.route({
      method: app.supportedMethods.filter((method) => !['OPTIONS', 'POST'].includes(method)) as HTTPMethods[],
      url,
      onRequest: async (request, reply) => {
        if (sendPage && prefersPage(request)) return sendPage(reply)
        if (request.exchange) await run((await pipeline()).head, request.exchange)
      },
      handler: () => undefined,
    })
    app.post(
      url,
      {
        onRequest: async ({ exchange }) => {
          if (exchange) await run((await pipeline()).head, exchange)
        },
      },
      async (request, reply) => answer(await pipeline(), request, reply),
    )
  }
}

/** The bytes as they came: their own check says what is wrong with them, whatever media type they are said to have. */
function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
}

/** The origin passed the check; only a page needs to be told so. */
function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  if (origin === undefined) return
  reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposed_headers,
    Vary: 'Origin',
  })
}

async function run(checks: readonly Check[], exchange: Exchange): Promise<void> {
  for (const check of checks) await check(exchange)
}

async function answer(pipeline: Pipeline, { exchange }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!exchange) throw new Error('a request reached its handler without an exchange')
  await run(pipeline.message, exchange)
  const response = await pipeline.answer(exchange)
  if (exchange.refusal) throw exchange.refusal
  return sendResponse(reply, exchange, response)
}
