import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Operation } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import { events, operations } from '#server/operations.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { modernRequest, post, request } from '#test/tool-client.ts'
import { annotationsOf, toolsOf } from './tool.ts'

type Json = Record<string, unknown>

interface Listed {
  name: string
  title: string
  description: string
  inputSchema: Json
  outputSchema: Json
  annotations: Json
}

const listed = [...toolsOf(createRegistry(operations, events)).values()].map(
  (tool) => JSON.parse(tool.listed) as Listed,
)

const list = async (service: TestService, url: string, headers: Record<string, string> = {}) =>
  post(service, request('tools/list'), { url, headers })

const namesOf = ({ body }: { body: { result: { tools: Listed[] } } }) => body.result.tools.map(({ name }) => name)

test('what is listed is what a model can afford: 48,000 characters, about 12,000 tokens', (t) => {
  const characters = listed.reduce(
    (sum, { name, title, description, inputSchema }) =>
      sum + name.length + title.length + description.length + JSON.stringify(inputSchema).length,
    0,
  )
  const outputs = listed.reduce((sum, { outputSchema }) => sum + JSON.stringify(outputSchema).length, 0)
  const bytes = Buffer.byteLength(JSON.stringify(listed))
  const tokens = Math.ceil(characters / 4)
  t.diagnostic(
    `${listed.length} tools: ${characters} characters of names, texts and input schemas (about ${tokens} tokens), ${outputs} of output schemas, ${bytes} bytes in all`,
  )
  assert.ok(characters <= 48_000, `${characters} characters`)
  assert.ok(tokens <= 12_000)
})

test('the tools are those that the domain design names for the operations of this release', () => {
  assert.deepEqual(
    listed.map(({ name }) => name),
    [
      'create_contract',
      'create_contract_amendment',
      'get_contract',
      'get_contract_amendment',
      'get_person',
      'invite_worker',
      'list_contract_amendments',
      'list_contracts',
      'list_my_contracts',
      'list_organizations',
      'list_people',
      'list_webhook_event_types',
      'list_webhooks',
    ],
  )
})

for (const tool of listed) {
  test(`${tool.name}: a name of verb and noun, a title, a text, four annotations`, () => {
    assert.match(tool.name, /^[a-z]+(_[a-z]+)+$/)
    assert.ok(tool.name.length <= 64)
    assert.ok(tool.title.length > 0)
    assert.ok(tool.description.length > 0 && tool.description.length <= 600)
    assert.deepEqual(Object.keys(tool.annotations).sort(), [
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ])
    for (const hint of Object.values(tool.annotations)) assert.equal(typeof hint, 'boolean')
  })

  test(`${tool.name}: its schemas are plain JSON Schema 2020-12 of closed, described arguments`, () => {
    const formats = { date: true, 'date-time': true, email: true, uri: true } as const
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, formats })
    assert.equal(tool.inputSchema.type, 'object')
    assert.equal(tool.outputSchema.type, 'object')
    assert.equal(tool.inputSchema.additionalProperties, false)
    ajv.compile(tool.inputSchema)
    ajv.compile(tool.outputSchema)
    assert.deepEqual(undescribed(tool.inputSchema), [])
    assert.doesNotMatch(JSON.stringify(tool), /"\$ref"|"x-/)
  })
}

test('lists say how to go on', () => {
  for (const { name, description, inputSchema } of listed) {
    const isList = 'cursor' in (inputSchema.properties as Json)
    assert.equal(description.endsWith('pass `cursor` with the same filters for the next.'), isList, name)
    if (isList) assert.equal(((inputSchema.properties as Json).limit as Json).default, 20)
  }
})

/** Method and name of a tool, and what a client may assume of it. */
const hints: [Operation['method'], string, { outside?: boolean }, number[]][] = [
  ['GET', 'list_things', {}, [1, 0, 1, 0]],
  ['POST', 'create_thing', {}, [0, 0, 0, 0]],
  ['POST', 'submit_my_thing', {}, [0, 0, 0, 0]],
  ['POST', 'request_thing', {}, [0, 0, 0, 0]],
  ['POST', 'review_thing', {}, [0, 1, 0, 0]],
  ['POST', 'invite_somebody', { outside: true }, [0, 1, 0, 1]],
  ['PUT', 'set_thing', {}, [0, 1, 1, 0]],
  ['PATCH', 'update_thing', {}, [0, 1, 1, 0]],
  ['DELETE', 'delete_thing', {}, [0, 1, 1, 0]],
]

for (const [method, name, more, [readOnly, destructive, idempotent, openWorld]] of hints) {
  test(`annotations of ${method} ${name}`, () => {
    assert.deepEqual(annotationsOf(method, { name, text: 'x', ...more }), {
      readOnlyHint: readOnly === 1,
      destructiveHint: destructive === 1,
      idempotentHint: idempotent === 1,
      openWorldHint: openWorld === 1,
    })
  })
}

test('a tool that breaks a rule stops the start', () => {
  const thing = (changes: object) =>
    createRegistry(
      [
        {
          id: 'things.get',
          summary: 'Get a thing',
          method: 'POST',
          path: '/things/:thing_id',
          scopes: [],
          input: Closed({ thing_id: Id }),
          output: Type.Object({}),
          tool: { name: 'get_thing', text: 'Get a thing.' },
          handle: async () => ({}),
          ...changes,
        } as unknown as Operation,
      ],
      [],
    )
  const broken = [
    { tool: { name: 'thing', text: 'x' } },
    { tool: { name: 'getThing', text: 'x' } },
    { tool: { name: `get_${'x'.repeat(70)}`, text: 'x' } },
    { tool: { name: 'get_thing', text: 'x'.repeat(601) } },
    { output: Type.Array(Type.String()) },
    { input: Closed({ thing_id: Id, idempotency_key: Id }) },
  ]
  assert.equal(toolsOf(thing({})).size, 1)
  for (const changes of broken) assert.throws(() => toolsOf(thing(changes)), Error, JSON.stringify(changes))
})

test('every caller gets the same list, one page of it, ordered by name', async (t) => {
  const service = await useTestService(t)
  const open = await list(service, '/mcp')
  assert.deepEqual(open.body.result.tools, listed)
  assert.equal('nextCursor' in open.body.result, false)
  const modern = modernRequest('tools/list')
  const { result } = (await post(service, modern.body, { headers: modern.headers })).body
  assert.deepEqual(result.tools, listed)
  assert.deepEqual([result.ttlMs, result.cacheScope], [300_000, 'public'])
})

test('an id that looks like a list of tools comes back as it was sent', async (t) => {
  const service = await useTestService(t)
  const id = '"tools":[]'
  const { body } = await post(service, request('tools/list', undefined, id))
  assert.equal(body.id, id)
  assert.deepEqual(body.result.tools, listed)
})

test('filters by address or header cut the list and can only take away', async (t) => {
  const service = await useTestService(t)
  const cases: [url: string, headers: Record<string, string>, RegExp][] = [
    ['/mcp?toolsets=contracts', {}, /^(create_contract|get_contract|invite_worker|list_contracts)$/],
    [
      '/mcp?toolsets=contracts,people',
      {},
      /^(create_contract|get_contract|invite_worker|list_contracts|.*(person|people))$/,
    ],
    ['/mcp?readonly=1', {}, /^(get|list)_/],
    ['/mcp', { 'x-mcp-readonly': 'true' }, /^(get|list)_/],
    ['/mcp?readonly=1&toolsets=contracts', {}, /^(get_contract|list_contracts)$/],
    ['/mcp?toolsets=contracts', { 'x-mcp-readonly': '1' }, /^(get_contract|list_contracts)$/],
    ['/mcp?toolsets=contracts,people', { 'x-mcp-toolsets': 'people' }, /(person|people)$/],
    ['/mcp?readonly=1', { 'x-mcp-readonly': '0' }, /^(get|list)_/],
  ]
  for (const [url, headers, kept] of cases) {
    const expected = listed.map(({ name }) => name).filter((name) => kept.test(name))
    assert.deepEqual(namesOf(await list(service, url, headers)), expected, url)
  }
  assert.deepEqual(namesOf(await list(service, '/mcp?toolsets=contracts', { 'x-mcp-toolsets': 'people' })), [])
  const { body, headers } = modernRequest('tools/list')
  const scopeOf = async (url: string, more: object) =>
    (await post(service, body, { url, headers: { ...headers, ...more } })).body.result.cacheScope
  assert.equal(await scopeOf('/mcp?readonly=1', {}), 'public')
  assert.equal(await scopeOf('/mcp', { 'x-mcp-readonly': '1' }), 'private')
})

/** Places of a schema whose field tells a reader nothing. */
function undescribed(schema: Json, at = ''): string[] {
  const alternatives = (schema.anyOf ?? []) as Json[]
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const inside = [...alternatives, ...(schema.items ? [schema.items as Json] : [])]
  return [
    ...fields.filter(([, field]) => !isDescribed(field)).map(([name]) => `${at}/${name}`),
    ...fields.flatMap(([name, field]) => undescribed(field, `${at}/${name}`)),
    ...inside.flatMap((each) => undescribed(each, at)),
  ]
}

function isDescribed({ description, anyOf }: Json): boolean {
  return description !== undefined || ((anyOf ?? []) as Json[]).some((each) => each.description !== undefined)
}
