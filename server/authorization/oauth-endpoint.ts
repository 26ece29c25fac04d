import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUtf8 } from '#core/json.ts'
import { internalError, Problem, unavailable } from '#core/problems.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { OAuthError, type OAuthErrorCode, Parameters } from './parameters.ts'

/** One endpoint of the authorization server. Its checks stand in `handle`; what all have in common stands here. */
export interface OAuthEndpoint {
  /** Names it in logs and metrics, e.g. `oauth.token`. */
  operation: string
  method: 'GET' | 'POST'
  path: `/${string}`
  /** Place of its parameters: a GET has them in the query; a POST in a form, unless it takes JSON. */
  body?: 'form' | 'json'
  /** Open to scripts of every origin, without credentials of the browser. */
  cors?: boolean
  /** Requests of one network, counted before anything is read. */
  limit?: RateLimit
  /** Shows a refusal in its own way; JSON, unless people come here. */
  showError?(error: OAuthError): OAuthAnswer
  handle(request: OAuthRequest): Promise<OAuthAnswer>
}

export interface OAuthRequest {
  parameters: Parameters
  /** The text of a JSON body; empty for forms. */
  json: string
  /** The `Authorization` header as it was sent. */
  authorization: string | undefined
  cookie: string | undefined
  /** Address of the client, and the network that limits count it by. */
  address: string
  network: string
  request_id: string
  /** HEAD: the same checks and answer, and nothing is stored (RFC 9110 §9.2.1). */
  is_head: boolean
}

/** Mounts endpoints with what the standards ask of all of them: bodies, errors, `no-store`, CORS, 405 and limits. */
export function mountOAuthEndpoints(
  app: FastifyInstance,
  endpoints: readonly OAuthEndpoint[],
  { networkOf }: { networkOf(address: string): string },
): void {
  for (const endpoint of endpoints) {
    const { operation, method, path, body = 'form', cors, limit, showError = errorAsJson } = endpoint
    const bad_body = body === 'json' ? 'invalid_client_metadata' : 'invalid_request'
    app.register(async (own) => {
      // Bytes of every media type: what a body should have been is said below.
      own.removeAllContentTypeParsers()
      own.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: oauth_body_bytes_max }, (_, bytes, done) =>
        done(null, bytes),
      )
      own.setErrorHandler((thrown, request, reply) => {
        const error = oauthErrorOf(thrown, bad_body)
        request.problem = problemForLog(thrown, error)
        return send(reply, showError(error))
      })
      own.addHook('onRequest', async (request, reply) => {
        request.operation = operation
        reply.header('Pragma', 'no-cache')
        if (cors) reply.headers(corsHeaders)
      })
      own.route({
        method,
        url: path,
        bodyLimit: oauth_body_bytes_max,
        onRequest: async (request) => void limit?.take(networkOf(request.client_address)),
        async handler(request, reply) {
          const text = method === 'GET' ? queryOf(request) : bodyText(request, body, bad_body)
          const { headers, client_address: address } = request
          const answer = await endpoint.handle({
            parameters: new Parameters(body === 'form' ? text : ''),
            json: body === 'json' ? text : '',
            authorization: headers.authorization,
            cookie: headers.cookie,
            address,
            network: networkOf(address),
            request_id: request.id,
            is_head: request.method === 'HEAD',
          })
          return send(reply, answer)
        },
      })
      if (cors) answerPreflight(own, path, method === 'GET' ? 'GET, HEAD' : method)
    })
  }
}

/** RFC 6749 §3.2 says nothing of scripts; browser-based clients of the tool server need these endpoints (design 3.1). */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'www-authenticate, retry-after, request-id',
}

/** A preflight is answered before any check, also before the limit. */
export function answerPreflight(app: FastifyInstance, path: string, methods: string): void {
  const headers = {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'authorization, content-type, accept, mcp-protocol-version',
    'Access-Control-Max-Age': '600',
  }
  app.options(path, (_, reply) => reply.code(204).headers(headers).send())
}

function queryOf({ raw }: FastifyRequest): string {
  const { url = '' } = raw
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

const oauth_body_bytes_max = 65_536

const utf8 = new TextDecoder('utf-8', { fatal: true })

const mediaTypes = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const

/** The text of a body that must have this media type; without a body, empty text. */
function bodyText({ body, headers }: FastifyRequest, wanted: keyof typeof mediaTypes, code: OAuthErrorCode): string {
  const media_type = headers['content-type']
  if (!Buffer.isBuffer(body) || body.length === 0) return ''
  if (media_type?.split(';')[0]?.trim().toLowerCase() !== mediaTypes[wanted]) {
    throw new OAuthError(code, `body: must be sent as ${mediaTypes[wanted]}`)
  }
  if (!isUtf8(media_type)) throw new OAuthError(code, 'body: must be UTF-8', { status: 415 })
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw new OAuthError(code, 'body: must be UTF-8', { cause })
  }
}

/** An endpoint's answer: JSON, a page, or nothing but status and headers. */
export interface OAuthAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: Record<string, unknown>
  /** A page as HTML, in place of `body`. */
  page?: string
}

function send(reply: FastifyReply, { status, headers = {}, body, page }: OAuthAnswer): FastifyReply {
  reply.code(status).headers(headers)
  if (page !== undefined) return reply.type('text/html; charset=utf-8').send(page)
  if (body === undefined) return reply.send()
  return reply.type('application/json').send(JSON.stringify(body))
}

/** RFC 6749 §5.2 */
function errorAsJson({ code, status, headers, message }: OAuthError): OAuthAnswer {
  return { status, headers, body: { error: code, error_description: message } }
}

/** The error of OAuth for a thing thrown; a fault of ours never looks like a bad credential. */
function oauthErrorOf(thrown: unknown, bad_body: OAuthErrorCode): OAuthError {
  if (thrown instanceof OAuthError) return thrown
  const status = statusOf(thrown)
  const { headers = {} } = thrown instanceof Problem ? thrown.details : {}
  if (status === 429) {
    return new OAuthError('temporarily_unavailable', 'request: too many of this kind', { status, headers })
  }
  if (status === 503) {
    return new OAuthError('temporarily_unavailable', 'server: is not available for the moment', { cause: thrown })
  }
  if (status >= 500) return new OAuthError('server_error', 'server: something went wrong', { cause: thrown })
  if (thrown instanceof Problem) {
    const { title } = thrown.definition
    return new OAuthError('invalid_request', `request: ${title.toLowerCase()}`, { status, headers })
  }
  if (status === 413) return new OAuthError(bad_body, 'body: is larger than 64 KiB', { status })
  // Everything else that the framework refuses is a body that cannot be read.
  return new OAuthError(bad_body, 'body: cannot be read')
}

function statusOf(thrown: unknown): number {
  if (thrown instanceof Problem) return thrown.definition.status
  if (thrown instanceof DatabaseUnavailable) return 503
  return thrown instanceof Error && 'statusCode' in thrown ? Number(thrown.statusCode) : 500
}

/** The canonical line of the log names the code, and the cause where it is ours. */
function problemForLog(thrown: unknown, { code, status, isElsewhere }: OAuthError): Problem {
  if (thrown instanceof Problem) return thrown
  if (isElsewhere) return unavailable(undefined, { is_elsewhere: true })
  if (status === 503) return unavailable(undefined, { cause: thrown })
  if (status >= 500) return internalError(undefined, { cause: thrown })
  return new Problem({ code, status, title: code, advice: '' })
}
