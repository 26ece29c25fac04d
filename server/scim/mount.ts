import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import { type Answer, invoke, type Runtime } from '#core/invoke.ts'
import { definedEvents, type Operation } from '#core/operation.ts'
import type { Problem } from '#core/problems.ts'
import { createRegistry } from '#core/registry.ts'
import { listResponse, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { errorBody, refuse, ScimError } from './errors.ts'
import { groupOperations } from './groups.ts'
import type { Listing } from './list.ts'
import { page_limits, type Query, search_urn } from './list.ts'
import { asResource, type Resource } from './match.ts'
import { parse } from './request.ts'
import { userOperations } from './users.ts'

export const scim_operations = [...userOperations, ...groupOperations] as unknown as readonly Operation[]

const media_type = 'application/scim+json; charset=utf-8'

export interface ScimSurface {
  runtime: Runtime
  /** Tells who calls and counts the request; throws the refusal. */
  admit(request: FastifyRequest): Promise<{ caller: Caller; limit_headers: Record<string, string> }>
  /** The problem that anything thrown is. */
  problemOf(error: unknown): Problem
  /** Headers of a refusal. */
  headersOf(problem: Problem, request: FastifyRequest): Record<string, string>
}

/** SCIM 2.0 below `/scim/v2`: its own media type, errors and pages; everything else is the service's (RFC 7644). */
export function mountScim(app: FastifyInstance, surface: ScimSurface): void {
  const registry = createRegistry(scim_operations, definedEvents())
  const { base } = surface.runtime.rooms.scim
  readBodies(app)
  app.setErrorHandler((error, request, reply) => sendError(surface, error, request, reply))
  app.setNotFoundHandler((request, reply) =>
    sendError(surface, new ScimError(404, undefined, 'There is nothing at this path.'), request, reply),
  )
  app.addHook('onRequest', async (request, reply) => {
    // Refused in a later step, which knows the methods of the path.
    if (request.is404) return
    const { caller, limit_headers } = await surface.admit(request)
    reply.headers(limit_headers)
    if (caller.kind !== 'organization' && !(caller.kind === 'oauth' && caller.user_id === undefined)) {
      throw new ScimError(403, undefined, 'Provisioning takes organization tokens and OAuth client credentials only.')
    }
  })
  const call = (id: string, request: FastifyRequest, input: object): Promise<Answer> => {
    const { caller } = request
    if (!caller) throw new Error('a request reached its handler without a caller')
    request.operation = id
    return invoke(surface.runtime, {
      operation: registry.operation(id),
      ...{ caller: { ...caller, actor: { ...caller.actor, kind: 'scim' } }, input, from_text: false, from_url: true },
      ...{ request_id: request.id, trace_id: null, address: request.client_address, surface: 'scim' },
    })
  }

  const route = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, handler: Handler) => {
    // Entra appends a slash before its query (design 8.5).
    for (const path of [url, `${url}/`]) app.route({ method, url: path, handler })
  }

  for (const [noun, path] of [
    ['users', '/Users'],
    ['groups', '/Groups'],
  ] as const) {
    const list = async (query: Query, request: FastifyRequest, reply: FastifyReply) => {
      // The cast holds because that is what lists answer.
      const found = (await call(`scim.${noun}.list`, request, given(query))).body as Listing<Resource>
      return send(reply, 200, listed(found, query))
    }
    route('GET', path, (request, reply) => list(queryOf(request), request, reply))
    route('POST', `${path}/.search`, (request, reply) => list(searchOf(textOf(request)), request, reply))
    route('POST', path, async (request, reply) => {
      const input = { body: textOf(request), ...askedOf(request) }
      return sendOne(reply, await call(`scim.${noun}.create`, request, input))
    })
    const idOf = (request: FastifyRequest) => ({ id: (request.params as { id: string }).id })
    route('GET', `${path}/:id`, async (request, reply) => {
      const answer = await call(`scim.${noun}.get`, request, { ...idOf(request), ...askedOf(request) })
      if (isKnown(request, answer.body)) return reply.code(304).send()
      return sendOne(reply, answer)
    })
    for (const [method, verb] of [
      ['PUT', 'replace'],
      ['PATCH', 'patch'],
    ] as const) {
      route(method, `${path}/:id`, async (request, reply) => {
        const input = { ...idOf(request), body: textOf(request), ...askedOf(request), ...versionOf(request) }
        return sendOne(reply, await call(`scim.${noun}.${verb}`, request, input))
      })
    }
    route('DELETE', `${path}/:id`, async (request, reply) => {
      await call(`scim.${noun}.delete`, request, { ...idOf(request), ...versionOf(request) })
      return reply.code(204).send()
    })
  }
  mountDiscovery(route, base)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    route(method, '/Me', () => {
      throw new ScimError(501, undefined, 'A credential of an organization has no user of its own.')
    })
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

function mountDiscovery(route: (method: 'GET', url: string, handler: Handler) => void, base: string): void {
  const documents = { '/ResourceTypes': resourceTypes(base), '/Schemas': schemas(base) }
  const refuseFilter = (request: FastifyRequest) => {
    const names = Object.keys(request.query as object).map((name) => name.toLowerCase())
    if (names.includes('filter')) throw new ScimError(403, undefined, 'These documents are not filtered.')
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

/** Bodies are taken as text: the media type is one of two, in UTF-8 (design 11). */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/scim+json', 'application/json'],
    { parseAs: 'string', bodyLimit: 1_048_576 },
    (_, text, done) => done(null, text),
  )
}

const textOf = ({ body }: FastifyRequest): string => {
  if (typeof body === 'string' && body !== '') return body
  throw refuse('invalidSyntax', 'The body is empty.')
}

const names = {
  filter: 'filter',
  sortby: 'sort_by',
  sortorder: 'sort_order',
  startindex: 'start_index',
  count: 'count',
  cursor: 'cursor',
  attributes: 'attributes',
  excludedattributes: 'excluded_attributes',
} as const

/** The parameters of an address: in any case, unknown ones ignored, known ones once, but for lists of names. */
function queryOf({ query }: FastifyRequest): Query {
  const found: Record<string, unknown> = {}
  for (const [given_name, value] of Object.entries(query as Record<string, string | string[]>)) {
    const folded = given_name.toLowerCase()
    const name = Object.hasOwn(names, folded) ? names[folded as keyof typeof names] : undefined
    if (!name) continue
    const is_list = name === 'attributes' || name === 'excluded_attributes'
    if (!is_list && (Array.isArray(value) || name in found))
      throw refuse('invalidValue', `${given_name} stands there twice.`)
    found[name] = is_list ? [found[name] ?? [], value].flat() : value
  }
  return numbered(found)
}

function searchOf(text: string): Query {
  const { schemas: urns, ...body } = parse(text)
  if (urns !== undefined && !(Array.isArray(urns) && urns.includes(search_urn))) {
    throw refuse('invalidSyntax', `schemas does not name ${search_urn}.`)
  }
  const known = Object.entries(body).flatMap(([given_name, value]) => {
    const folded = given_name.toLowerCase()
    return Object.hasOwn(names, folded) && value !== null ? [[names[folded as keyof typeof names], value]] : []
  })
  return numbered(Object.fromEntries(known))
}

function numbered(found: Record<string, unknown>): Query {
  for (const name of ['start_index', 'count'] as const) {
    const value = found[name]
    if (value === undefined) continue
    if (!/^[+-]?\d{1,9}$/.test(String(value))) {
      throw refuse(
        name === 'count' && found.cursor !== undefined ? 'invalidCount' : 'invalidValue',
        `${name} is an integer.`,
      )
    }
    found[name] = Number(value)
  }
  for (const name of ['filter', 'sort_by', 'sort_order', 'cursor'] as const) {
    if (found[name] !== undefined && typeof found[name] !== 'string') throw refuse('invalidValue', `${name} is a text.`)
  }
  return found
}

/** Without the members that are absent: the input of an operation names what it has. */
const given = (query: Query): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

function askedOf(request: FastifyRequest): object {
  const { attributes, excluded_attributes } = queryOf(request)
  return given({ attributes, excluded_attributes })
}

const versionOf = ({ headers }: FastifyRequest) => ({
  ...(headers['if-match'] !== undefined && { if_match: headers['if-match'] }),
})

function isKnown({ headers }: FastifyRequest, body: unknown): boolean {
  const version = asResource(asResource(body)?.meta)?.version
  const asked = headers['if-none-match']
  return (
    asked !== undefined &&
    version !== undefined &&
    asked.split(',').some((tag) => tag.trim() === version || tag.trim() === '*')
  )
}

function listed({ rows, total, next_cursor }: Listing<Resource>, { start_index, cursor }: Query): object {
  const place = cursor === undefined ? { startIndex: Math.max(start_index ?? 1, 1) } : {}
  const more = {
    totalResults: total,
    itemsPerPage: rows.length,
    ...place,
    ...(next_cursor && { nextCursor: next_cursor }),
  }
  return listResponse(rows, more)
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

/** Problems of the service in SCIM's words, by their codes; others keep their status (design 11). */
const words: Readonly<
  Record<string, readonly [status: number, scim_type?: ConstructorParameters<typeof ScimError>[1]]>
> = {
  email_in_use: [409, 'uniqueness'],
  name_in_use: [409, 'uniqueness'],
  validation_failed: [400, 'invalidValue'],
  malformed_json: [400, 'invalidSyntax'],
  malformed_request: [400, 'invalidSyntax'],
  reference_not_found: [400, 'invalidValue'],
  hierarchy_cycle: [400, 'invalidValue'],
}

function sendError(surface: ScimSurface, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ScimError)
    return send(reply, error.status, errorBody(error.status, error.scim_type, error.message))
  const problem = surface.problemOf(error)
  request.problem = problem
  const { code, status: own_status, title } = problem.definition
  const [status, scim_type] = words[code] ?? [own_status]
  const { errors = [] } = problem.details
  const fields = errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  const detail = [problem.message || title, fields].filter(Boolean).join(' ')
  return send(reply.headers(surface.headersOf(problem, request)), status, errorBody(status, scim_type, detail))
}

export { page_limits }
