import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimit } from '#core/rate-limit.ts'
import type { OAuthErrorCode } from './oauth-error.ts'
import { Parameters } from './parameters.ts'
import { bodyText, oauth_body_bytes_max, takeBodiesAsBytes } from './read-oauth-body.ts'
import { errorAsJson, type OAuthAnswer, type ShowError, sendOAuthAnswer, sendOAuthError } from './send-oauth-answer.ts'

/** One endpoint of the authorization server. Its checks stand in `handle`; what all have in common stands here. */
export interface OAuthEndpoint {
  /** Names it in logs and metrics, e.g. `oauth.token`. */
  operation: string
  method: 'GET' | 'POST'
  path: `/${string}`
  /** Where its parameters travel: a GET has them in the query; a POST in a form, unless it takes JSON. */
  body?: 'form' | 'json'
  /** Open to scripts of every origin, without credentials of the browser. */
  cors?: boolean
  /** Requests of one network, counted before anything is read. */
  limit?: RateLimit
  /** How it shows what it refuses; JSON, unless people come here. */
  showError?: ShowError
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

export interface EndpointParts {
  /** Whose address it is, as limits count: a caller with one IPv6 address has the /64 around it. */
  networkOf(address: string): string
}

/** Mounts endpoints with what the standards ask of all of them: bodies, errors, `no-store`, CORS, 405 and limits. */
export function mountOAuthEndpoints(
  app: FastifyInstance,
  endpoints: readonly OAuthEndpoint[],
  parts: EndpointParts,
): void {
  for (const endpoint of endpoints) {
    const { showError: show = errorAsJson } = endpoint
    const bad_body = endpoint.body === 'json' ? 'invalid_client_metadata' : 'invalid_request'
    app.register(async (own) => {
      takeBodiesAsBytes(own)
      own.setErrorHandler((error, _, reply) => sendOAuthError(reply, error, { bad_body, show }))
      own.addHook('onRequest', async (request, reply) => begin(endpoint, request, reply))
      own.route({
        method: endpoint.method,
        url: endpoint.path,
        bodyLimit: oauth_body_bytes_max,
        onRequest: async (request) => void endpoint.limit?.take(parts.networkOf(request.client_address)),
        handler: async (request, reply) =>
          sendOAuthAnswer(reply, await endpoint.handle(readRequest(endpoint, request, bad_body, parts))),
      })
      if (endpoint.cors) answerPreflight(own, endpoint.path, endpoint.method === 'GET' ? 'GET, HEAD' : endpoint.method)
    })
  }
}

function begin({ operation, cors }: OAuthEndpoint, request: FastifyRequest, reply: FastifyReply): void {
  request.operation = operation
  reply.header('Pragma', 'no-cache')
  if (cors) reply.headers(corsHeaders)
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

function readRequest(
  endpoint: OAuthEndpoint,
  request: FastifyRequest,
  bad_body: OAuthErrorCode,
  { networkOf }: EndpointParts,
): OAuthRequest {
  const { body, headers, client_address: address } = request
  const media_type = headers['content-type']
  const wanted = endpoint.body ?? 'form'
  const text = endpoint.method === 'GET' ? queryOf(request) : bodyText({ body, media_type }, wanted, bad_body)
  return {
    parameters: new Parameters(wanted === 'form' ? text : ''),
    json: wanted === 'json' ? text : '',
    authorization: headers.authorization,
    cookie: headers.cookie,
    address,
    network: networkOf(address),
    request_id: request.id,
    is_head: request.method === 'HEAD',
  }
}

function queryOf({ raw }: FastifyRequest): string {
  const { url = '' } = raw
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
