import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import { auditRefusal } from '#core/effects.ts'
import { invoke, isKnown, type Runtime } from '#core/invoke.ts'
import { jsonBody } from '#core/json.ts'
import { counter } from '#core/metrics.ts'
import { definedEvents, type Method, type Operation } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { folded, parseBody, requireSchema } from './body.ts'
import { bulk_limits, runBulk } from './bulk.ts'
import { documentsOf } from './discovery.ts'
import { groups } from './groups.ts'
import { listOperation, queryFrom } from './list.ts'
import { type Answered, opaque, operationsOf } from './operations.ts'
import { spellingsOf } from './quirks.ts'
import { type Refusing, refuse, toldRefusal } from './refusals.ts'
import { asResource } from './resource.ts'
import { resource_types } from './schema.ts'
import { users } from './users.ts'

/** `admit` tells who calls and counts the request; `count` counts one more, of a bulk request. Both refuse by throwing. */
export interface ScimSurface extends Refusing {
  runtime: Runtime
  admit(request: FastifyRequest): Promise<{ caller: Caller; limit_headers: Record<string, string> }>
  count(caller: Caller): void
}

/** The cast holds because the registry asks each operation only for what its own input and events are. */
export const scimOperations = () =>
  [
    ...[...operationsOf(users), ...operationsOf(groups)],
    listOperation('resources', resource_types, '/'),
  ] as unknown as readonly Operation[]

const requests = counter('scim_requests_total', 'Requests of provisioning.', ['op', 'status'])

/** SCIM 2.0 below `/v2`: its own media type, errors and pages; everything else is the service's (RFC 7644). */
export function mountScim(app: FastifyInstance, surface: ScimSurface): void {
  const { base } = surface.runtime.rooms.scim
  const registry = createRegistry(scimOperations(), definedEvents())
  readBodies(app)
  const tell = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendRefusal(surface, error, request, reply)
  app.setErrorHandler(tell)
  app.setNotFoundHandler((request, reply) => tell(refuse('not_found', 'Nothing is at this path.'), request, reply))
  app.addHook('onRequest', async (request, reply) => {
    request.surface = 'scim'
    // Refused in a later step, which knows the methods of the path.
    if (request.is404) return
    const { caller, limit_headers } = await surface.admit(request)
    reply.headers(limit_headers)
    requireOrganization(caller)
  })
  app.addHook('onResponse', ({ operation: op = 'scim.other' }, { statusCode: status }, done) => {
    requests.inc({ op, status })
    done()
  })
  const call = async (request: FastifyRequest, id: string, input: object): Promise<Answered> => {
    if (!request.caller) throw new Error('a request reached its handler without a caller')
    request.operation = id
    const caller = { ...request.caller, actor: { ...request.caller.actor, kind: 'scim' as const } }
    const made = {
      ...{ operation: registry.operation(id), caller, input, from_text: true, from_url: true, surface: 'scim' },
      ...{ request_id: request.id, trace_id: null, address: request.client_address },
    }
    return auditRefusal(surface.runtime.database, made, audited, () => invoke(surface.runtime, made))
  }
  type Answering = (request: FastifyRequest) => Promise<Answered>
  const route = (method: Method | Method[], path: string, answer: Answering) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => send(reply, await answer(request))
    for (const url of spellingsOf(`/v2${path}`)) app.route({ method, url, handler })
  }
  for (const { definition } of registry.operations) {
    const { id, method } = definition
    const path = definition.path === '/' ? '' : definition.path
    if (path) route(method, path, (request) => call(request, id, inputOf(request)))
    if (id.endsWith('.list')) route('POST', `${path}/.search`, (request) => call(request, id, searchOf(request)))
  }
  route('POST', '/Bulk', async (request) => {
    const body = await runBulk(parseBody(textOf(request)), base, async (operation) => {
      try {
        if (request.caller) surface.count(request.caller)
        const { id, input } = operation()
        return await call(request, id, input)
      } catch (error) {
        return toldRefusal(surface, error, request)
      }
    })
    request.operation = 'scim.bulk'
    return { status: 200, body }
  })
  for (const [path, documentOf] of Object.entries(documentsOf(base))) {
    route('GET', path, async ({ query, params }) => {
      if ('filter' in folded(query)) throw refuse('filtered_discovery', 'These documents are not filtered.')
      const body = documentOf(String(Object(params).id))
      if (body) return { status: 200, body }
      throw refuse('not_found', 'There is no such document.')
    })
  }
  route(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/Me', async () => {
    throw refuse('no_me', 'A credential of an organization has no user of its own.')
  })
}

/** Refusals of a write that the audit log tells too: somebody tried what it may not, or what would lock everybody out. */
const audited: ReadonlySet<string> = new Set(['insufficient_scope', 'last_owner'])

/** Bodies are JSON in UTF-8 of either media type (design 11). They stay texts, which operations read by the schemas of SCIM. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: bulk_limits.bytes } as const
  const types = ['application/scim+json', 'application/json']
  app.addContentTypeParser(types, options, async ({ headers }: FastifyRequest, bytes: Buffer) => {
    if (bytes.length > 0) jsonBody(headers['content-type'], bytes)
    return bytes.toString()
  })
}

/** A person's token would end with the person, and with it the provisioning of everybody else. */
function requireOrganization({ kind, user_id }: Caller): void {
  if (kind === 'organization' || (kind === 'oauth' && user_id === undefined)) return
  throw refuse('forbidden', 'Provisioning takes organization tokens and OAuth client credentials only.')
}

const textOf = ({ body }: FastifyRequest) => (typeof body === 'string' ? body : '')
function inputOf(request: FastifyRequest): object {
  const { query, params, headers } = request
  return { ...queryFrom(Object(query)), ...Object(params), if_match: headers['if-match'], body: textOf(request) }
}

function searchOf(request: FastifyRequest): object {
  const body = folded(parseBody(textOf(request)))
  requireSchema(body.schemas, 'urn:ietf:params:scim:api:messages:2.0:SearchRequest')
  return queryFrom(body)
}

/** Sends whatever was thrown as SCIM tells it. */
export function sendRefusal(refusing: Refusing, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, headers, body } = toldRefusal(refusing, error, request)
  if ('scimType' in body) request.error_code = String(body.scimType)
  return send(reply.headers(headers), { status, body })
}

function send(reply: FastifyReply, { status, body }: Answered): FastifyReply {
  const resource = asResource(body)
  if (!resource) return reply.code(204).send()
  const { version, location } = asResource(resource.meta) ?? {}
  if (version) reply.header('ETag', String(version))
  if (status === 201 && location) reply.header('Location', String(location))
  const { method, headers } = reply.request
  if (version && method === 'GET' && isKnown({ if_none_match: headers['if-none-match'] }, opaque(String(version))))
    return reply.code(304).send()
  return reply.code(status).type('application/scim+json; charset=utf-8').send(JSON.stringify(resource))
}
