import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineEvent, type EventType, type Operation } from './operation.ts'
import { createRegistry } from './registry.ts'
import { Closed, Id, Type } from './schema/schema.ts'

const operation = (changed: Partial<Operation>): Operation => ({
  id: 'things.get',
  summary: 'Get a thing',
  method: 'GET',
  path: '/things/:thing_id',
  scopes: [],
  input: Closed({ thing_id: Id }),
  output: Type.Object({ id: Id }),
  handle: () => Promise.reject(new Error('not called')),
  ...changed,
})

const event: EventType = defineEvent({
  type: 'thing.created',
  module: 'things',
  summary: 'A thing was stored.',
  entry: Type.Object({ thing_id: Id }),
  example: { thing_id: '019cadc6-9a80-70df-929e-750f1228d11d' },
})

const refused: [what: string, operations: Operation[], events: EventType[], message: RegExp][] = [
  [
    'an id twice',
    [operation({}), operation({ path: '/other/:thing_id' })],
    [],
    /operation id things.get is defined twice/,
  ],
  [
    'a route twice, whatever its fields are called',
    [operation({}), operation({ id: 'things.read', path: '/things/:id', input: Closed({ id: Id }) })],
    [],
    /route GET \/things\/: is defined twice/,
  ],
  [
    'a tool twice',
    ['a.b', 'c.d'].map((id) => operation({ id, path: `/${id}/:thing_id`, tool: { name: 'get_thing', text: '' } })),
    [],
    /tool get_thing is defined twice/,
  ],
  ['an event type twice', [], [event, event], /event type thing.created is defined twice/],
  [
    'a path field that the input does not have',
    [operation({ input: Closed({}) })],
    [],
    /the path names thing_id, the input does not/,
  ],
  [
    'an open input, which would take unknown parameters without a word',
    [operation({ input: Type.Object({ thing_id: Id }) })],
    [],
    /the input must be closed/,
  ],
  [
    'an emitted event outside the catalogue',
    [operation({ emits: [event] })],
    [],
    /emits thing.created, which is not in the catalogue/,
  ],
]
for (const [what, operations, events, message] of refused) {
  test(`the boot stops at ${what}`, () => assert.throws(() => createRegistry(operations, events), message))
}

test('an operation is found by its id, another one is not', () => {
  const registry = createRegistry([operation({ emits: [event] })], [event])
  assert.equal(registry.operation('things.get').definition.path, '/things/:thing_id')
  assert.deepEqual([...registry.operation('things.get').path_fields], ['thing_id'])
  assert.throws(() => registry.operation('things.list'), /no operation things.list/)
})

test('an entry of an event is held to its schema, undeclared fields included', () => {
  const registered = createRegistry([], [event]).events.get('thing.created')
  assert.deepEqual(registered?.checkEntry(event.example), [])
  assert.equal(registered?.checkEntry({}).length, 1)
  assert.equal(registered?.checkEntry({ ...event.example, secret: 1 }).length, 1)
})
