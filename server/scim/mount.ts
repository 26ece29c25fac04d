import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import type { Answer, Runtime } from '#core/invoke.ts'
import { definedEvents, type Operation } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { type BulkOperation, type Outcome, runBulk } from './bulk.ts'
import { bulk_limits, listResponse, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { refuse, ScimError } from './errors.ts'
import { groupOperations } from './groups.ts'
import type { Listing, Query } from './list.ts'
import { asResource, type Resource } from './match.ts'
import { askedOf, given, isKnown, queryOf, searchOf, versionOf } from './query.ts'
import { type Refusing, refusalIn } from './refusal.ts'
import { parse } from './request.ts'
import { countRequests, invokeTold } from './trace.ts'
import { userOperations } from './users.ts'

export const scim_operations = [...userOperations, ...groupOperations] as unknown as readonly Operation[]

const media_type = 'application/scim+json; charset=utf-8'

export interface ScimSurface extends Refusing {
  runtime: Runtime
  /** Tells who calls and counts the request; throws the refusal. */
  admit(request: FastifyRequest): Promise<{ caller: Caller; limit_headers: Record<string, string> }>
  /** Counts one more, of a bulk request. */
  count(caller: Caller): void
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown
type Route = (method: Method, url: string, handler: Handler) => void
type Call = (id: string, request: FastifyRequest, input: object) => Promise<Answer>

/** SCIM 2.0 below `/scim/v2`: its own media type, errors and pages; everything else is the service's (RFC 7644). */
export function mountScim(app: FastifyInstance, surface: ScimSurface): void {
  readBodies(app)
  countRequests(app)
  const tell = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = refusalIn(surface, error, request)
    if ('scimType' in body) request.error_code = String(body.scimType)
    return send(reply.headers(headers), status, body)
  }
  app.setErrorHandler(tell)
  app.setNotFoundHandler((request, reply) => tell(new ScimError(404, undefined, nothing_here), request, reply))
  app.addHook('onRequest', async (request, reply) => {
    request.surface = 'scim'
    // Refused in a later step, which knows the methods of the path.
    if (request.is404) return
    const { caller, limit_headers } = await surface.admit(request)
    reply.headers(limit_headers)
    requireOrganization(caller)
  })
  // Entra appends a slash before its query (design 8.5).
  const route: Route = (method, url, handler) => {
    for (const path of [url, `${url}/`]) app.route({ method, url: path, handler })
  }
  const call = callsOf(surface.runtime)
  for (const noun of nouns) mountResources(route, call, noun)
  mountDiscovery(route, surface.runtime.rooms.scim.base)
  route('POST', '/Bulk', async (request, reply) => {
    const run = async (operation: BulkOperation) => {
      if (request.caller) surface.count(request.caller)
      return runOne(surface, call, request, operation)
    }
    const answer = await runBulk(parse(textOf(request)), run)
    request.operation = 'scim.bulk'
    return send(reply, 200, answer)
  })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) route(method, '/Me', refuseMe)
}

const nothing_here = 'There is nothing at this path.'

/** A person's token would end with the person, and with it the provisioning of everybody else. */
function requireOrganization({ kind, user_id }: Caller): void {
  if (kind === 'organization' || (kind === 'oauth' && user_id === undefined)) return
  throw new ScimError(403, undefined, 'Provisioning takes organization tokens and OAuth client credentials only.')
}

function callsOf(runtime: Runtime): Call {
  const registry = createRegistry(scim_operations, definedEvents())
  return (id, request, input) => {
    const { caller } = request
    if (!caller) throw new Error('a request reached its handler without a caller')
    request.operation = id
    return invokeTold(runtime, {
      operation: registry.operation(id),
      ...{ caller: { ...caller, actor: { ...caller.actor, kind: 'scim' } }, input, from_text: false, from_url: true },
      ...{ request_id: request.id, trace_id: null, address: request.client_address, surface: 'scim' },
    })
  }
}

const nouns = [
  { noun: 'users', path: '/Users' },
  { noun: 'groups', path: '/Groups' },
] as const

const verbs = { PUT: 'replace', PATCH: 'patch' } as const

function mountResources(route: Route, call: Call, { noun, path }: (typeof nouns)[number]): void {
  const list = async (query: Query, request: FastifyRequest, reply: FastifyReply) => {
    // The cast holds because that is what lists answer.
    const found = (await call(`scim.${noun}.list`, request, given(query))).body as Listing<Resource>
    return send(reply, 200, listed(found, query))
  }
  const idOf = (request: FastifyRequest) => ({ id: (request.params as { id: string }).id })
  route('GET', path, (request, reply) => list(queryOf(request), request, reply))
  route('POST', `${path}/.search`, (request, reply) => list(searchOf(textOf(request)), request, reply))
  route('POST', path, async (request, reply) =>
    sendOne(reply, await call(`scim.${noun}.create`, request, { body: textOf(request), ...askedOf(request) })),
  )
  route('GET', `${path}/:id`, async (request, reply) => {
    const answer = await call(`scim.${noun}.get`, request, { ...idOf(request), ...askedOf(request) })
    return isKnown(request, answer.body) ? reply.code(304).send() : sendOne(reply, answer)
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    route(method, `${path}/:id`, async (request, reply) => {
      const input = { ...idOf(request), body: textOf(request), ...askedOf(request), ...versionOf(request) }
      return sendOne(reply, await call(`scim.${noun}.${verbs[method]}`, request, input))
    })
  }
  route('DELETE', `${path}/:id`, async (request, reply) => {
    await call(`scim.${noun}.delete`, request, { ...idOf(request), ...versionOf(request) })
    return reply.code(204).send()
  })
}

/** One operation of a bulk request: a request of its own, but for its head. */
async function runOne(
  refusing: Refusing,
  call: Call,
  request: FastifyRequest,
  { method, path, data, version }: BulkOperation,
): Promise<Outcome> {
  const [, endpoint, id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? []
  const noun = endpoint?.toLowerCase()
  const body = { ...(data && { body: JSON.stringify(data) }) }
  try {
    if (!noun || (id === undefined) !== (method === 'POST'))
      throw refuse('invalidPath', `${method} ${path} is no operation.`)
    const target = { id, ...(version !== undefined && { if_match: version }) }
    const answer = await (method === 'POST'
      ? call(`scim.${noun}.create`, request, body)
      : method === 'DELETE'
        ? call(`scim.${noun}.delete`, request, target)
        : call(`scim.${noun}.${verbs[method]}`, request, { ...target, ...body }))
    const resource = asResource(answer.body)
    const meta = asResource(resource?.meta)
    return {
      status: resource ? answer.status : 204,
      ...(resource && { body: resource, location: String(meta?.location), version: String(meta?.version) }),
    }
  } catch (error) {
    const refusal = refusalIn(refusing, error, request)
    return { status: refusal.status, body: { ...refusal.body } }
  }
}

function mountDiscovery(route: Route, base: string): void {
  const documents = { '/ResourceTypes': resourceTypes(base), '/Schemas': schemas(base) }
  const refuseFilter = ({ query }: FastifyRequest) => {
    if (!Object.keys(query as object).some((name) => name.toLowerCase() === 'filter')) return
    throw new ScimError(403, undefined, 'These documents are not filtered.')
  }
  route('GET', '/ServiceProviderConfig', (request, reply) => {
    refuseFilter(request)
    return send(reply, 200, serviceProviderConfig(base))
  })
  for (const [path, resources] of Object.entries(documents)) {
    route('GET', path, (request, reply) => {
      refuseFilter(request)
      return send(reply, 200, listResponse(resources, { itemsPerPage: resources.length, startIndex: 1 }))
    })
    route('GET', `${path}/:id`, (request, reply) => {
      refuseFilter(request)
      const { id } = request.params as { id: string }
      const found = resources.find((one) => one.id === id)
      if (!found) throw new ScimError(404, undefined, `There is no ${id} here.`)
      return send(reply, 200, found)
    })
  }
}

function refuseMe(): never {
  throw new ScimError(501, undefined, 'A credential of an organization has no user of its own.')
}

/** Bodies are taken as text: the media type is one of two, in UTF-8 (design 11). */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: bulk_limits.bytes } as const
  app.addContentTypeParser(['application/scim+json', 'application/json'], options, (_, text, done) => done(null, text))
}

function textOf({ body }: FastifyRequest): string {
  if (typeof body === 'string' && body !== '') return body
  throw refuse('invalidSyntax', 'The body is empty.')
}

function listed({ rows, total, next_cursor }: Listing<Resource>, { start_index, cursor }: Query): object {
  const place = cursor === undefined ? { startIndex: Math.max(start_index ?? 1, 1) } : {}
  const next = next_cursor ? { nextCursor: next_cursor } : {}
  return listResponse(rows, { totalResults: total, itemsPerPage: rows.length, ...place, ...next })
}

function sendOne(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  const resource = asResource(body)
  if (!resource) return reply.code(204).send()
  const meta = asResource(resource.meta)
  if (meta?.version) reply.header('ETag', String(meta.version))
  if (status === 201 && meta?.location) reply.header('Location', String(meta.location))
  return send(reply, status, resource)
}

const send = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply.code(status).type(media_type).send(JSON.stringify(body))
