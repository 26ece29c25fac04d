import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { events, operations } from '#boot/operations.ts'
import { isQuery } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { useTestService } from '#test/service.ts'
import { operationsPage } from '../../../scripts/reference/operations-page.ts'
import type { Json } from './components.ts'
import { openApiDocument } from './openapi-document.ts'
import { bodySchema } from './operation-object.ts'

const registry = createRegistry(operations, events)
const origin = 'https://stint.test'
const document = openApiDocument(registry, { origin, auth_url: origin, version: '0.0.0' })
type Body = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> }
type Response = { headers: Json; content?: Record<string, Body> }
interface Described {
  operationId: string
  security: Json[]
  requestBody?: { content: Record<string, Body> }
  responses: Record<string, Response & { $ref?: string }>
}
const { paths, webhooks, components } = document as {
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: Described }>
  components: Record<string, Record<string, Json>>
}
const described = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) => Object.values(methods))
const find = (operationId: string) => described.find((operation) => operation.operationId === operationId)
const responseOf = ({ $ref, ...response }: Response & { $ref?: string }): Response =>
  $ref ? (at($ref) as unknown as Response) : response
const at = (ref: string): Json =>
  ref
    .slice(2)
    .split('/')
    .reduce((inner, key) => inner[key] as Json, document)

const ajv = new Ajv2020({ strict: false, allErrors: true })
const isUri = (text: string) => URL.canParse(text)
for (const [format, holds] of Object.entries({
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)) && text.endsWith('Z'),
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text),
  email: (text: string) => /^[^@ ]+@[^@ ]+\.[^@ ]+$/.test(text),
  uri: isUri,
})) {
  ajv.addFormat(format, holds)
}
ajv.addSchema(document, 'document')

/** Every place of the document that has a media type, with its pointer for `$ref` and in messages. */
function bodies(): { where: string; body: Body }[] {
  const found: { where: string; body: Body }[] = []
  const walk = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, child] of Object.entries(value)) {
      const path = `${where}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (key === 'content') {
        for (const [type, body] of Object.entries(child as Record<string, Body>)) {
          // A stream and a file are described by their media types alone.
          if (/json/.test(type)) found.push({ where: `${path}/${type.replace('/', '~1')}`, body })
        }
      } else walk(child, path)
    }
  }
  walk({ paths, webhooks, components: { responses: components.responses } }, '')
  return found
}

test('every request and answer body has an example that its schema allows', () => {
  const broken: string[] = []
  const all = bodies()
  for (const { where, body } of all) {
    const examples = body.examples ? Object.values(body.examples).map(({ value }) => value) : [body.example]
    const pointer = where.split('/').map(encodeURIComponent).join('/')
    for (const example of examples) {
      const isValid = example !== undefined && ajv.validate({ $ref: `document#${pointer}/schema` }, example)
      if (!isValid) broken.push(`${where}: ${example === undefined ? 'no example' : ajv.errorsText()}`)
    }
  }
  assert.ok(all.length > registry.operations.length)
  assert.deepEqual(broken, [])
})

test('the service takes every example of a request body as it stands', () => {
  const ids = { label: 'payroll-2026-01', client_id: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P' }
  const broken = registry.operations.flatMap(({ definition, path_fields, validate }) => {
    const body = find(definition.id)?.requestBody?.content['application/json']?.example
    if (body === undefined) return []
    const inPath = [...path_fields].map((name) => [
      name,
      ids[name as keyof typeof ids] ?? '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
    ])
    const checked = validate({ ...Object.fromEntries(inPath), ...(body as Json) }, false)
    return checked.ok ? [] : [`${definition.id}: ${JSON.stringify(checked.errors)}`]
  })
  assert.deepEqual(broken, [])
})

/** Fields by name that are always of one form, wherever they stand. */
const forms: Record<string, string> = {
  country: '^[A-Z]{2}$',
  nationality: '^[A-Z]{2}$',
  currency: '^[A-Z]{3}$',
  default_currency: '^[A-Z]{3}$',
  timezone: '^(UTC|',
  locale: '^[A-Za-z]{2,3}(',
  amount: '[0-9]{1,',
  vat_rate: '^(100',
}
test('country, currency, locale, time zone, money and percentages have a pattern wherever they stand', () => {
  const counts = new Map<string, number>()
  const broken: string[] = []
  const texts = (schema: Json): Json[] => {
    if (typeof schema.$ref === 'string') return texts(at(schema.$ref))
    return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap((each) => texts(each as Json)) : [schema]
  }
  const walk = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, child] of Object.entries((value as Json).properties ?? {})) {
      const form = forms[name]
      for (const schema of form ? texts(child as Json).filter(({ type }) => type === 'string') : []) {
        counts.set(name, (counts.get(name) ?? 0) + 1)
        if (!String(schema.pattern ?? '').includes(form ?? '')) broken.push(`${where}/${name}`)
      }
    }
    for (const [key, child] of Object.entries(value)) if (!key.startsWith('example')) walk(child, `${where}/${key}`)
  }
  walk(document, '')
  assert.deepEqual(broken, [])
  assert.deepEqual(
    Object.keys(forms).filter((name) => !counts.has(name)),
    [],
  )
})

test('patterns of the document hold what the service takes, and nothing of another form', () => {
  const schemas = components.schemas as Record<string, { pattern?: string }>
  const pattern = (name: string) => new RegExp(schemas[name]?.pattern ?? 'none')
  for (const locale of ['de', 'pt-BR', 'zh-Hant-TW', 'sl-rozaj-biske', 'de-DE-u-co-phonebk', 'en-x-whatever'])
    assert.match(locale, pattern('Locale'))
  for (const locale of ['d', 'de_DE', 'de-', 'german-']) assert.doesNotMatch(locale, pattern('Locale'))
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Japan', 'GB-Eire'])
    assert.match(zone, pattern('TimeZone'))
  for (const zone of ['+01:00', 'EST', 'berlin', 'Europe/']) assert.doesNotMatch(zone, pattern('TimeZone'))
})

test('every operation may be called with a bearer token, or with OAuth for one of its scopes', () => {
  const { bearer, oauth2 } = components.securitySchemes as {
    bearer: Json
    oauth2: { flows: Record<'authorizationCode' | 'clientCredentials', Json & { scopes: Json }> }
  }
  assert.equal(bearer.scheme, 'bearer')
  const { authorizationCode, clientCredentials } = oauth2.flows
  assert.deepEqual(
    [authorizationCode.authorizationUrl, authorizationCode.tokenUrl, clientCredentials.tokenUrl],
    [`${origin}/oauth/authorize`, `${origin}/oauth/token`, `${origin}/oauth/token`],
  )
  for (const { definition } of registry.operations) {
    const { scopes, scopes_for_others = [] } = definition
    const [first, ...others] = find(definition.id)?.security ?? []
    assert.deepEqual(first, { bearer: [] })
    const asked = others.flatMap((requirement) => requirement.oauth2 as string[])
    assert.deepEqual(asked, [...scopes, ...scopes_for_others], definition.id)
    for (const scope of asked) assert.ok(scope in authorizationCode.scopes, scope)
  }
})

test('insufficient_scope is documented exactly where a credential may lack a scope or a role', () => {
  for (const { definition } of registry.operations) {
    const { id, scopes, scopes_for_others, roles } = definition
    const refused = responseOf(find(id)?.responses['403'] as Response) as Response & { 'x-problem-codes': string[] }
    const mayLack = scopes.length > 0 || scopes_for_others !== undefined || roles !== undefined
    assert.equal(refused['x-problem-codes'].includes('insufficient_scope'), mayLack, id)
  }
})

test('whoever lacks the scope for what is not its own is told which', async (t) => {
  const service = await useTestService(t)
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  const id = '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'
  for (const { definition } of registry.operations) {
    if (!definition.scopes_for_others) continue
    const path = definition.path.replaceAll(/:[a-z_]+/g, id)
    const { status, body } = await service.call(definition.method, path, { token })
    assert.deepEqual([status, body.required_scopes], [403, definition.scopes_for_others], definition.id)
  }
})

test('no schema has a name that generators write themselves', () => {
  const own = ['Client', 'AuthenticatedClient', 'ClientOption', 'ClientWithResponses', 'Configuration', 'Response']
  const names = Object.keys(components.schemas ?? {})
  assert.deepEqual(
    own.filter((name) => names.includes(name)),
    [],
  )
})

test('the reference page names the fields of every body, also of one that operations share', () => {
  const page = operationsPage(document)
  for (const { definition } of registry.operations) {
    const required = (bodySchema(definition).required ?? []) as string[]
    if (isQuery(definition)) continue
    const section = page.split(`### ${definition.id}\n`)[1]?.split('\n### ')[0] ?? ''
    for (const name of required)
      assert.match(section, new RegExp(`\\| \`${name}\` \\| body \\|[^|]*\\| yes \\|`), definition.id)
  }
})

test('the examples that create something are taken as they stand', async (t) => {
  const service = await useTestService(t)
  await service.clock.set('2026-01-12T09:00:00.000Z')
  for (const [id, path] of [
    ['contracts.create', '/contracts'],
    ['api_tokens.create', '/api-tokens'],
    ['oauth_clients.create', '/oauth-clients'],
  ]) {
    const body = find(id ?? '')?.requestBody?.content['application/json']?.example
    const answer = await service.call('POST', path ?? '', { body })
    assert.equal(answer.status, 201, `${id}: ${JSON.stringify(answer.body)}`)
  }
})

test('what an answer carries is documented: status and headers of success, of each refusal and of a repeat', async (t) => {
  const service = await useTestService(t)
  const narrow = await service.createToken(service.organization.id, { scopes: ['people:read'], sensitive_data: [] })
  const body = find('contracts.create')?.requestBody?.content['application/json']?.example
  const key = { 'idempotency-key': 'one' }
  const calls: [operation: string, answer: Awaited<ReturnType<typeof service.call>>][] = [
    ['contracts.create', await service.call('POST', '/contracts', { body, headers: key })],
    ['contracts.create', await service.call('POST', '/contracts', { body, headers: key })],
    [
      'contracts.create',
      await service.call('POST', '/contracts', { body: { ...(body as Json), title: 'Other' }, headers: key }),
    ],
    ['contracts.create', await service.call('POST', '/contracts', { body: '{' })],
    ['contracts.create', await service.call('POST', '/contracts', { body, headers: { 'content-type': 'text/plain' } })],
    ['contracts.create', await service.call('POST', '/contracts', { body, token: narrow })],
    ['contracts.list', await service.call('GET', '/contracts')],
    ['contracts.list', await service.call('GET', '/contracts', { token: null })],
    ['contracts.list', await service.call('GET', '/contracts', { query: { cursor: 'x' } })],
    ['people.list', await service.call('GET', '/people', { token: narrow })],
    ['contracts.get', await service.call('GET', '/contracts/019bb16e-fe80-7b02-b1c4-90aa3e5d7f62')],
  ]
  // Headers of HTTP itself, and those that every answer of the service carries.
  const general = /^(content-|vary$|date$|connection$|keep-alive$|cache-control$|strict-|x-content-|referrer-)/
  for (const [id, { status, headers }] of calls) {
    const response = find(id)?.responses[String(status)]
    assert.ok(response, `${id}: ${status}`)
    const documented = Object.keys(responseOf(response).headers).map((name) => name.toLowerCase())
    const carried = Object.keys(headers).filter((name) => !general.test(name))
    assert.deepEqual(
      carried.filter((name) => !documented.includes(name)),
      [],
      `${id}: ${status}`,
    )
  }
  assert.deepEqual(
    calls.map(([, { status }]) => status),
    [201, 201, 422, 400, 415, 403, 200, 401, 400, 200, 404],
  )
})
