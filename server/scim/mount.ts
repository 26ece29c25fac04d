import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import type { Answer, Runtime } from '#core/invoke.ts'
import { definedEvents, type Operation } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { folded, parseBody, requireSchema } from './body.ts'
import { type BulkOperation, bulk_limits, type Outcome, runBulk } from './bulk.ts'
import { documentsOf } from './discovery.ts'
import { groups } from './groups.ts'
import { listOperation, queryFrom } from './list.ts'
import { operationsOf } from './operations.ts'
import { type Refusing, refuse, toldRefusal } from './refusals.ts'
import { asResource, type Resource } from './resource.ts'
import { resource_types } from './schema.ts'
import { countRequests, invokeTold } from './trace.ts'
import { users } from './users.ts'

export interface ScimSurface extends Refusing {
  runtime: Runtime
  /** Tells who calls and counts the request; throws the refusal. */
  admit(request: FastifyRequest): Promise<{ caller: Caller; limit_headers: Record<string, string> }>
  /** Counts one more, of a bulk request. */
  count(caller: Caller): void
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = (method: Method, url: string, answer: (request: FastifyRequest) => Answered | Promise<Answered>) => void
type Answered = Pick<Answer, 'status' | 'body'>
type Call = (id: string, request: FastifyRequest, input: object) => Promise<Answered>

const verbs = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const
const methods = Object.keys(verbs) as Method[]

/** SCIM 2.0 below `/scim/v2`: its own media type, errors and pages; everything else is the service's (RFC 7644). */
export function mountScim(app: FastifyInstance, surface: ScimSurface): void {
  const { runtime } = surface
  readBodies(app)
  countRequests(app)
  const tell = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = toldRefusal(surface, error, request)
    if ('scimType' in body) request.error_code = String(body.scimType)
    return send(reply.headers(headers), { status, body })
  }
  app.setErrorHandler(tell)
  app.setNotFoundHandler((request, reply) =>
    tell(refuse('not_found', 'There is nothing at this path.'), request, reply),
  )
  app.addHook('onRequest', async (request, reply) => {
    request.surface = 'scim'
    // Refused in a later step, which knows the methods of the path.
    if (request.is404) return
    const { caller, limit_headers } = await surface.admit(request)
    reply.headers(limit_headers)
    requireOrganization(caller)
  })
  const route: Route = (method, url, answer) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => send(reply, await answer(request))
    // Entra appends a slash before its query (design 8.5).
    for (const path of [url, `${url}/`]) app.route({ method, url: path, handler })
  }
  const call = callsOf(runtime)
  for (const { endpoint } of resource_types) {
    const id = endpoint.slice(1).toLowerCase()
    route('GET', endpoint, (request) => call(`scim.${id}.list`, request, queryFrom(request.query)))
    route('POST', `${endpoint}/.search`, (request) => call(`scim.${id}.list`, request, searchOf(request)))
    for (const method of methods) {
      const url = method === 'POST' ? endpoint : `${endpoint}/:id`
      route(method, url, (request) => call(`scim.${id}.${verbs[method]}`, request, inputOf(request)))
    }
  }
  route('POST', '/.search', (request) => call('scim.resources.list', request, searchOf(request)))
  route('POST', '/Bulk', async (request) => {
    const run = (operation: BulkOperation) => runOne(surface, call, request, operation)
    const body = await runBulk(parseBody(textOf(request)), run)
    request.operation = 'scim.bulk'
    return { status: 200, body }
  })
  for (const [path, documentOf] of Object.entries(documentsOf(runtime.rooms.scim.base))) {
    route('GET', path, ({ query, params }) => {
      const is_filtered = Object.keys(Object(query)).some((name) => name.toLowerCase() === 'filter')
      if (is_filtered) throw refuse('filtered_discovery', 'These documents are not filtered.')
      return { status: 200, body: documentOf(String(Object(params).id)) }
    })
  }
  for (const method of methods) {
    route(method, '/Me', () => {
      throw refuse('no_me', 'A credential of an organization has no user of its own.')
    })
  }
}

/** A person's token would end with the person, and with it the provisioning of everybody else. */
function requireOrganization({ kind, user_id }: Caller): void {
  if (kind === 'organization' || (kind === 'oauth' && user_id === undefined)) return
  throw refuse('forbidden', 'Provisioning takes organization tokens and OAuth client credentials only.')
}

/** Bodies are taken as text: the media type is one of two, in UTF-8 (design 11). */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: bulk_limits.bytes } as const
  app.addContentTypeParser(['application/scim+json', 'application/json'], options, (_, text, done) => done(null, text))
}

/** The cast holds because the registry asks each operation only for what its own input and events are. */
export const scimOperations = () =>
  [
    ...operationsOf(users),
    ...operationsOf(groups),
    listOperation('resources', resource_types, '/'),
  ] as unknown as readonly Operation[]

function callsOf(runtime: Runtime): Call {
  const registry = createRegistry(scimOperations(), definedEvents())
  return (id, request, input) => {
    const { caller } = request
    if (!caller) throw new Error('a request reached its handler without a caller')
    request.operation = id
    return invokeTold(runtime, {
      operation: registry.operation(id),
      ...{ caller: { ...caller, actor: { ...caller.actor, kind: 'scim' } }, input, from_text: true, from_url: true },
      ...{ request_id: request.id, trace_id: null, address: request.client_address, surface: 'scim' },
    })
  }
}

const textOf = ({ body }: FastifyRequest) => (typeof body === 'string' && body !== '' ? body : undefined)

function searchOf(request: FastifyRequest): Resource {
  const body = folded(parseBody(textOf(request)))
  requireSchema(body.schemas, 'urn:ietf:params:scim:api:messages:2.0:SearchRequest')
  return queryFrom(body)
}

/** The input of an operation on one resource. */
function inputOf(request: FastifyRequest): object {
  const { attributes, excludedAttributes } = queryFrom(request.query)
  const sent = { attributes, excludedAttributes, if_match: request.headers['if-match'], body: textOf(request) }
  return { ...Object(request.params), ...sent }
}

/** One operation of a bulk request: a request of its own, but for its head. */
async function runOne(
  surface: ScimSurface,
  call: Call,
  request: FastifyRequest,
  { method, path, data, version }: BulkOperation,
): Promise<Outcome> {
  if (request.caller) surface.count(request.caller)
  const [, endpoint = '', id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? []
  try {
    if (!endpoint || (id === undefined) !== (method === 'POST')) {
      throw refuse('invalidPath', `${method} ${path} is no operation.`)
    }
    const { status, body } = await call(`scim.${endpoint.toLowerCase()}.${verbs[method]}`, request, {
      ...(id && { id }),
      body: data && JSON.stringify(data),
      if_match: version,
    })
    return { status: body ? status : 204, body: asResource(body) }
  } catch (error) {
    return toldRefusal(surface, error, request)
  }
}

function send(reply: FastifyReply, { status, body }: Answered): FastifyReply {
  const resource = asResource(body)
  if (!resource) return reply.code(204).send()
  const { version, location } = asResource(resource.meta) ?? {}
  if (version) reply.header('ETag', String(version))
  if (status === 201 && location) reply.header('Location', String(location))
  if (status === 200 && isKnown(reply.request, version)) return reply.code(304).send()
  return reply.code(status).type('application/scim+json; charset=utf-8').send(JSON.stringify(resource))
}

function isKnown({ method, headers }: FastifyRequest, version: unknown): boolean {
  const tags = headers['if-none-match']?.split(',').map((tag) => tag.trim()) ?? []
  return method === 'GET' && version !== undefined && tags.some((tag) => tag === version || tag === '*')
}
