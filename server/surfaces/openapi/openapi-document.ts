import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { isQuery, type Operation, pathFields } from '#core/operation.ts'
import type { RegisteredEvent, Registry } from '#core/registry.ts'
import { Id, Timestamp, Type } from '#core/schema/schema.ts'
import { sendFile } from '../http-server.ts'
import { type Components, createComponents, type Json, pascalCase, type SchemaRoot } from './components.ts'
import { meta } from './examples.ts'
import { deliveryHeaders, dryRunSchema, headers, parameters, problemSchema } from './fixed-components.ts'
import { bodySchema, createProblemResponses, operationObject, tagOf, templateOf } from './operation-object.ts'

export interface DocumentAddresses {
  /** Public origin, e.g. `https://stint.example`. */
  origin: string
  /** Origin of the authorization server. */
  auth_url: string
  version: string
}

const types = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }
type Form = keyof typeof types

/** Serves `GET /openapi.json` and `.yaml` to everyone; each is made at its first request and kept, since a registry never changes. */
export function mountOpenApi(app: FastifyInstance, registry: Registry, addresses: DocumentAddresses): void {
  const made: Partial<Record<Form, ReturnType<typeof write>>> = {}
  for (const form of ['json', 'yaml'] as const) {
    app.get(`/openapi.${form}`, async (request, reply) => {
      made[form] ??= write(form, openApiDocument(registry, addresses))
      const { file, etag } = await made[form]
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      if (known?.some((tag) => `W/${tag}` === etag || tag === '*')) {
        return reply.header('Vary', 'Accept-Encoding').code(304).send()
      }
      return sendFile(request, reply, file)
    })
  }
}

/** Quoted also where only YAML 1.1 asks for it, which many readers still follow: `NO` is no boolean. */
async function yamlOf(document: object): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
}

/** Loads the writer of YAML only where somebody asks for it. The tag is weak: it stands for the text in every encoding. */
async function write(form: Form, document: object) {
  const plain = Buffer.from(form === 'json' ? JSON.stringify(document) : await yamlOf(document))
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, options), promisify(gzip)(plain)])
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { file: { type: types[form], plain, br, gzip: gzipped }, etag: `W/"${digest}"` }
}

const description = `Workforce and payments. Every request uses HTTPS and \`Authorization: Bearer <token>\`.

- Lists answer \`{data, cursor, has_more, total_count}\`; pass \`cursor\` on to read the next page.
- A set in the query is sent as repeated keys, as \`key[]=\` or comma-separated.
- Unknown fields and parameters are refused. PATCH changes only the fields it names; null clears a nullable field.
- Refusals are problem documents (RFC 9457) whose \`code\` is stable and whose \`type\` leads to its documentation.
- A field marked \`x-sensitive\` is null unless the credential was granted that category.`

/** The whole interface as one OpenAPI 3.1 document: operations as paths, event types as webhooks. */
export function openApiDocument(registry: Registry, { origin, auth_url, version }: DocumentAddresses): Json {
  const operations = registry.operations.map(({ definition }) => definition)
  const components = createComponents(rootsOf(registry))
  const problems = createProblemResponses(operations, `${origin}/docs/problems`)
  const paths = Object.groupBy(registry.operations, (operation) => templateOf(operation.definition.path))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stint API',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${origin}/rest/v2` }],
    externalDocs: { url: `${origin}/docs` },
    tags: [...new Set(operations.map(tagOf)).add('events')]
      .sort()
      .map((name) => ({ name, 'x-displayName': tagTitle(name), description: tagDescription(name) })),
    security: [{ bearer: [] }, { oauth2: [] }],
    paths: mapSorted(paths, (ofPath = []) =>
      Object.fromEntries(
        ofPath.map((operation) => [
          operation.definition.method.toLowerCase(),
          operationObject(operation, components, problems.of.get(operation.definition.id) ?? {}),
        ]),
      ),
    ),
    webhooks: mapSorted(Object.fromEntries(registry.events), (event) => event && webhookObject(event, components)),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'API token. `x:write` includes `x:read`.' },
        oauth2: oauthScheme(auth_url, operations),
      },
      schemas: {
        ...components.schemas,
        EventMeta: components.place(EventMeta as unknown as Json),
        Problem: problemSchema,
        DryRunAnswer: dryRunSchema,
      },
      responses: mapSorted(problems.responses, (response) => response),
      parameters,
      headers,
    },
  }
}

/** The authorization server as generators know it; its metadata document tells the rest (RFC 8414). */
function oauthScheme(auth_url: string, operations: readonly Operation[]): Json {
  const names = operations.flatMap(({ scopes, scopes_for_others = [] }) => [...scopes, ...scopes_for_others])
  const scopes = Object.fromEntries([...new Set(names)].sort().map((name) => [name, scopeWords(name)]))
  const tokenUrl = `${auth_url}/oauth/token`
  return {
    type: 'oauth2',
    description: 'Access token of an app. PKCE with S256 is required, and `resource` names the server address.',
    flows: {
      authorizationCode: { authorizationUrl: `${auth_url}/oauth/authorize`, tokenUrl, refreshUrl: tokenUrl, scopes },
      clientCredentials: { tokenUrl, scopes },
    },
  }
}

function scopeWords(scope: string): string {
  const [noun = '', verb] = scope.split(':')
  const what = noun === 'worker' ? "the worker's own contracts" : noun
  return verb === 'write' ? `Read and change ${what}.` : `Read ${what}.`
}

/** Schemas that give names, the telling ones first: the answer of `get` is the noun itself. */
function rootsOf({ operations, events }: Registry): SchemaRoot[] {
  const definitions = operations.map(({ definition }) => definition)
  // A file is described by its media type.
  const answered = definitions.filter(({ file }) => !file)
  const answers = answered
    .toSorted((a, b) => rank(a) - rank(b))
    .map((operation) => root(resourceOf(operation), outputName(operation, definitions), operation.id))
  return [
    ...[root(Id, ''), root(Timestamp, ''), ...answers].map((one) => ({ ...one, is_component: true })),
    ...answered.map(({ id, output }) => root(output, id)),
    ...[...events.values()].map(({ type }) => root(type.entry, `${type.type} entry`)),
    ...definitions.flatMap(inputRoots),
  ]
}

/** The body as one schema, query parameters each for itself. */
function inputRoots(operation: Operation): SchemaRoot[] {
  if (!isQuery(operation)) return [root(bodySchema(operation), `${operation.id} input`)]
  return Object.entries(operation.input.properties).map(([name, schema]) =>
    root(schema, name, `${operation.id} ${name}`),
  )
}

/** The cast holds because a schema of ours is JSON Schema as it stands. */
const root = (schema: unknown, ...names: string[]): SchemaRoot => ({ names, schema: schema as Json })

function rank({ id }: Operation): number {
  const verb = ['get', 'create', 'list'].indexOf(id.split('.')[1] ?? '')
  return verb < 0 ? 3 : verb
}

/** The answer of an operation, out of its list envelope: always a component. */
function resourceOf({ output }: Operation): unknown {
  const { properties } = output as { properties?: { data?: { items?: unknown } } }
  return properties?.data?.items ?? output
}

/**
 * `contracts.get` → `Contract`, `people.get` → `Person` by the id in its path; another verb → `ContractsSign`. The whole
 * noun where the id names only its end: a schema `Client` would meet the `Client` that generators write themselves.
 */
function outputName({ id }: Operation, definitions: readonly Operation[]): string {
  const [noun = '', verb = ''] = id.split('.')
  if (!['get', 'create', 'list'].includes(verb)) return pascalCase(id)
  const sibling = definitions.find((other) => other.id === `${noun}.get`)
  const field = sibling && pathFields(sibling.path).at(-1)
  const singular = noun.replace(/s$/, '')
  const named = field?.endsWith('_id') ? field.slice(0, -3) : singular
  return pascalCase(singular.endsWith(named) ? singular : named)
}

/** `api-tokens` → `API tokens`. */
function tagTitle(name: string): string {
  const text = name
    .replace('-', ' ')
    .replace(/^api\b/, 'API')
    .replace(/^oauth\b/, 'OAuth')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function tagDescription(name: string): string {
  return name === 'events' ? 'What webhook deliveries carry.' : `Everything below \`/${name}\`.`
}

/** In the order of the names, so that the document changes only where the registry does. */
function mapSorted<From, To>(object: Partial<Record<string, From>>, change: (value: From | undefined) => To) {
  const names = Object.keys(object).sort()
  return Object.fromEntries(names.map((name) => [name, change(object[name])]))
}

/** The body of a delivery (interface specification 2.3) around the entries of one event type. */
const deliverySchema = (event_type: string, entry: Json) =>
  Type.Object({
    data: Type.Object({
      meta: Type.Unsafe({
        allOf: [{ $ref: '#/components/schemas/EventMeta' }, { properties: { event_type: { const: event_type } } }],
      }),
      resource: Type.Unsafe({ type: 'array', minItems: 1, maxItems: 100, items: entry }),
    }),
    timestamp: Type.Unsafe({ $ref: '#/components/schemas/Timestamp' }),
  })

/** The members that every event begins with (interface specification 2.3). */
const EventMeta = Type.Object({
  event_type: Type.String({ description: 'Name of the event type.' }),
  organization_id: Id,
  event_id: { ...Id, description: 'Unique per event; receivers drop what they had before.' } as typeof Id,
  occurred_at: Timestamp,
  is_simulation: Type.Optional(
    Type.Literal(true, { description: 'Present, and true, only on simulated events: make no real records from them.' }),
  ),
})

/** One event type as the request that a subscriber's endpoint receives. */
function webhookObject({ type }: RegisteredEvent, { place }: Components): Json {
  const value = deliveryExample(type.type, type.example)
  return {
    post: {
      operationId: type.type,
      summary: type.summary,
      tags: ['events'],
      'x-module': type.module,
      security: [],
      parameters: deliveryHeaders,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: deliverySchema(type.type, place(type.entry as unknown as Json)),
            examples: { event: { value } },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received; the delivery is complete.' },
        '4XX': { description: 'Refused, e.g. 401 for a signature that does not match; the delivery is tried again.' },
        '5XX': { description: 'Failed; the delivery is tried again.' },
      },
    },
  }
}

export function deliveryExample(event_type: string, entry: unknown): Json {
  return { data: { meta: { ...meta, event_type }, resource: [entry] }, timestamp: meta.occurred_at }
}
