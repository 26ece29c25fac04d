import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k_base from 'js-tiktoken/ranks/o200k_base'
import { events, operations } from '#boot/operations.ts'
import type { Operation } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
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

const bytes_max = 72_000
/** Bytes of names, texts and input schemas. */
const tokens_max = 12_000

test(`what is listed is what a model can afford: ${bytes_max} bytes, ${tokens_max} tokens to read`, (t) => {
  const o200k = new Tiktoken(o200k_base)
  const texts = listed.map(({ name, title, description, inputSchema }) =>
    [name, title, description, JSON.stringify(inputSchema)].join('\n'),
  )
  const tokens = texts.reduce((sum, text) => sum + o200k.encode(text).length, 0)
  const bytes = Buffer.byteLength(JSON.stringify(listed))
  t.diagnostic(`${listed.length} tools: ${bytes} bytes, ${tokens} tokens of names, texts and input schemas`)
  assert.ok(bytes <= bytes_max, `${bytes} bytes`)
  assert.ok(tokens <= tokens_max, `${tokens} tokens`)
})

test('a resource is described by one tool; rows of lists and answers of changes name it', () => {
  const shapes = new Map<string, string[]>()
  for (const { name, outputSchema } of listed) {
    const { data } = (outputSchema.properties ?? {}) as Record<string, Json>
    const resource = (data?.items ?? outputSchema) as Json
    if (!resource.properties) {
      const [, shown_by] = /^As (\w+) answers\.$/.exec(String(resource.description)) ?? []
      const shown = listed.find((tool) => tool.name === shown_by)?.outputSchema.properties as Json
      assert.ok(shown && Object.keys(shown).length > 5, `${name} names a tool that shows it`)
      continue
    }
    const shape = Object.keys(resource.properties).join()
    shapes.set(shape, [...(shapes.get(shape) ?? []), name])
  }
  for (const names of shapes.values()) assert.equal(names.length, 1, names.join())
  assert.deepEqual(shapes.values().toArray().flat(), [
    'advance_test_clock',
    'approve_payment',
    'create_time_off',
    'get_contract',
    'get_contract_amendment',
    'get_invoice',
    'get_invoice_adjustment',
    'get_payment_breakdown',
    'get_person',
    'get_timesheet',
    'list_departments',
    'list_invoices',
    'list_organizations',
    'list_payment_cycles',
    'list_teams',
    'list_time_off_entitlements',
    'list_webhook_event_types',
    'list_webhooks',
    'preview_cycle_invoice',
  ])
})

test('the tools are those that the domain design names for the operations of this release', () => {
  assert.deepEqual(
    listed.map(({ name }) => name),
    [
      'advance_test_clock',
      'approve_payment',
      'cancel_contract',
      'create_contract',
      'create_contract_amendment',
      'create_invoice',
      'create_invoice_adjustment',
      'create_payment',
      'create_time_off',
      'create_timesheet',
      'get_contract',
      'get_contract_amendment',
      'get_invoice',
      'get_invoice_adjustment',
      'get_payment_breakdown',
      'get_person',
      'get_timesheet',
      'invite_worker',
      'list_contract_amendments',
      'list_contracts',
      'list_departments',
      'list_invoice_adjustments',
      'list_invoices',
      'list_my_amendments',
      'list_my_contracts',
      'list_organizations',
      'list_payment_cycles',
      'list_payments',
      'list_people',
      'list_teams',
      'list_time_off_entitlements',
      'list_time_offs',
      'list_timesheets',
      'list_webhook_event_types',
      'list_webhooks',
      'preview_cycle_invoice',
      'review_invoice_adjustment',
      'review_timesheet',
      'settle_payment',
      'sign_contract',
      'sign_contract_amendment',
      'sign_my_amendment',
      'sign_my_contract',
      'submit_my_timesheet',
      'terminate_contract',
      'update_contract',
      'update_contract_amendment',
      'withdraw_contract_amendment',
    ],
  )
})

test('every id among the arguments says which tool yields it, where its answer has it, and to the same callers', () => {
  const registry = createRegistry(operations, events)
  const definitionOf = (name: string | undefined) =>
    registry.operations.find(({ definition }) => definition.tool?.name === name)?.definition
  let ids = 0
  for (const { name, inputSchema } of listed) {
    for (const [argument, { description }] of Object.entries(inputSchema.properties as Record<string, Json>)) {
      if (!argument.endsWith('_id') || argument === 'external_id') continue
      ids += 1
      const [, place = '', source] = /^([\w.[\]]+) of (\w+)$/.exec(String(description)) ?? []
      const yielding = definitionOf(source)
      assert.ok(yielding, `${name}, ${argument}: ${description}`)
      assert.ok(placeIn(yielding.output as unknown as Json, `data[].${place}`), `${source} has no ${place}`)
      const isWorkers = (operation: Operation | undefined) =>
        operation?.scopes.some((scope) => scope.startsWith('worker:')) ?? false
      assert.equal(isWorkers(yielding), isWorkers(definitionOf(name)), `${name}, ${argument}: ${source}`)
    }
  }
  assert.ok(ids > 20)
})

test('what is required when is told where a call could be made without knowing', () => {
  const text = (name: string) => listed.find((tool) => tool.name === name)?.description ?? ''
  assert.match(
    text('create_contract'),
    /worker_id, or worker .*amount is required except for milestone, .*frequency except for employee/,
  )
  assert.match(text('update_contract'), /pending/)
  assert.match(text('terminate_contract'), /without one it ends at once/)
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

test('what signs, ends or pays takes a confirmation, and says that nothing is done without', () => {
  const confirmed = listed.flatMap(({ name, inputSchema }) => {
    const { confirm } = inputSchema.properties as Record<string, Json>
    return confirm ? [[name, /without it nothing is done/.test(String(confirm.description))]] : []
  })
  assert.deepEqual(confirmed, [
    ['approve_payment', true],
    ['cancel_contract', true],
    ['create_payment', true],
    ['settle_payment', true],
    ['sign_contract', true],
    ['sign_contract_amendment', true],
    ['sign_my_amendment', true],
    ['sign_my_contract', true],
    ['terminate_contract', true],
  ])
})

test('lists say how to go on', () => {
  for (const { name, description, inputSchema } of listed) {
    const isList = 'cursor' in (inputSchema.properties as Json)
    assert.equal(description.includes('While `has_more`, pass `cursor`.'), isList, name)
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
          tool: { name: 'get_thing', text: 'Get a thing.', yields: { thing_id: 'id' } },
          handle: async () => ({}),
          ...changes,
        } as unknown as Operation,
      ],
      [],
    )
  const sound = { name: 'get_thing', text: 'x', yields: { thing_id: 'id' } }
  const broken = [
    { tool: { ...sound, name: 'thing' } },
    { tool: { ...sound, name: 'getThing' } },
    { tool: { ...sound, name: `get_${'x'.repeat(70)}` } },
    { tool: { ...sound, text: 'x'.repeat(601) } },
    { tool: { ...sound, name: 'create_thing' } },
    { tool: { ...sound, yields: {} } },
    { output: Type.Object({ withheld: Type.String() }) },
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
  const contracts =
    /^(cancel_contract|create_contract|get_contract|invite_worker|list_contracts|sign_contract|terminate_contract|update_contract)$/
  const people = /^(get_person|list_people)$/
  const reading = /^(get|list|preview)_/
  const either = new RegExp(`${contracts.source}|${people.source}`)
  const cases: [url: string, headers: Record<string, string>, RegExp][] = [
    ['/mcp?toolsets=contracts', {}, contracts],
    ['/mcp?toolsets=contracts,people', {}, either],
    ['/mcp?readonly=1', {}, reading],
    ['/mcp', { 'x-mcp-readonly': 'true' }, reading],
    ['/mcp?readonly=1&toolsets=contracts', {}, /^(get_contract|list_contracts)$/],
    ['/mcp?toolsets=contracts', { 'x-mcp-readonly': '1' }, /^(get_contract|list_contracts)$/],
    ['/mcp?toolsets=contracts,people', { 'x-mcp-toolsets': 'people' }, people],
    ['/mcp?readonly=1', { 'x-mcp-readonly': '0' }, reading],
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

/** True when a schema has a field at a place such as `data[].team.id`. */
function placeIn({ anyOf, items, properties }: Json, place: string): boolean {
  if (anyOf) return (anyOf as Json[]).some((each) => placeIn(each, place))
  if (place === '') return true
  if (place.startsWith('[]')) return items !== undefined && placeIn(items as Json, place.slice(2).replace(/^\./, ''))
  const [, name = '', rest = ''] = /^(\w+)\.?(.*)$/.exec(place) ?? []
  const field = (properties as Record<string, Json> | undefined)?.[name]
  return field !== undefined && placeIn(field, rest)
}

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

function isDescribed({ description, format, anyOf }: Json): boolean {
  return (
    description !== undefined ||
    format !== undefined ||
    ((anyOf ?? []) as Json[]).some((each) => each.description !== undefined)
  )
}
