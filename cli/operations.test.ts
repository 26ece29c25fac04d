import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathFields } from '#core/operation.ts'
import {
  everyOperation,
  freeFields,
  hasBody,
  holdsFor,
  isList,
  isRepeatable,
} from '../test/contract/derived/every-operation.ts'
import type { Flags } from './command.ts'
import { everyCommand, findCommand } from './commands/index.ts'
import { helpOf } from './main.ts'
import { type Field, type Json, operationCommands } from './service/document.ts'
import { inputOf, optionOf } from './service/input.ts'
import { operationCommand } from './service/operation-command.ts'

const commandOf = (id: string) => {
  const found = operationCommands().find((command) => command.id === id)
  assert.ok(found, `no command for ${id}: is docs/reference made anew?`)
  return found
}

test('every operation of the registry is a command by its id, and no other is', async () => {
  await holdsFor(everyOperation, (operation) => {
    const command = commandOf(operation.id)
    assert.equal(findCommand(command.name.split(' '))?.summary, operation.summary)
    assert.equal(findCommand(operation.id.split('.'))?.name ?? command.name, command.name)
    assert.deepEqual(
      [command.method, command.path.replaceAll(/[{}]/g, '')],
      [operation.method, operation.path.replaceAll(':', '')],
    )
  })
  assert.equal(operationCommands().length, everyOperation.length)
  const names = everyCommand().map(({ name }) => name)
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  )
})

test('its words and flags are its parameters: all of them, and no others', async () => {
  await holdsFor(everyOperation, (operation) => {
    const { path_fields, fields, has_body } = commandOf(operation.id)
    assert.deepEqual(path_fields, pathFields(operation.path))
    assert.deepEqual(new Set(fields.map(({ place: [first] }) => first)), new Set(freeFields(operation)))
    assert.equal(has_body, hasBody(operation) && freeFields(operation).length > 0)
  })
})

test('a change takes --dry-run and --confirm, a repeatable one --idempotency-key, a list --limit and --all', async () => {
  await holdsFor(everyOperation, (operation) => {
    const options = Object.keys(operationCommand(commandOf(operation.id)).options ?? {})
    const has = (name: string) => options.some((option) => option.split(' ')[0] === name)
    assert.equal(has('dry-run') && has('confirm'), operation.method !== 'GET')
    assert.equal(has('idempotency-key'), isRepeatable(operation))
    assert.equal(has('limit') && has('all'), isList(operation))
  })
})

/** The words of a line as a shell reads them: single quotes around one that holds more than a name does. */
const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'(?:[^']|'\\'')*'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll("'\\''", '\0').replaceAll("'", '').replaceAll('\0', "'"),
  )

test('the example of a command sends the input that the reference shows', async () => {
  await holdsFor(everyOperation, (operation) => {
    const command = commandOf(operation.id)
    const [line = ''] = operationCommand(command).examples
    const words = wordsOf(line).slice(command.name.split(' ').length + command.path_fields.length)
    if (!command.has_body || words.length === 0) return
    const flags: Flags = {}
    for (let place = 0; place < words.length; place += 2) flags[words[place]?.slice(2) ?? ''] = words[place + 1]
    assert.deepEqual(
      JSON.parse(JSON.stringify(inputOf(command, flags))),
      JSON.parse(JSON.stringify(command.example)),
      line,
    )
  })
})

test('no field of an operation has the name of a flag that every command has', async () => {
  const taken = 'data all dry-run confirm if-match idempotency-key etag output profile json help'.split(' ')
  await holdsFor(everyOperation, (operation) => {
    const own = commandOf(operation.id).fields.map(({ flag }) => flag)
    assert.deepEqual(
      own.filter((flag) => taken.includes(flag)),
      [],
    )
  })
})

test('the example of every body is the same whether it is given by flags or by --data', async () => {
  await holdsFor(everyOperation, (operation) => {
    const command = commandOf(operation.id)
    if (!command.example) return
    assert.deepEqual(inputOf(command, { data: JSON.stringify(command.example) }), command.example)
    const flags = Object.fromEntries(command.fields.flatMap((field) => flagOf(field, command.example)))
    assert.deepEqual(inputOf(command, flags), command.example)
  })
})

/** A value of the example as somebody would type it. */
function flagOf({ flag, place, kind }: Field, example: unknown): [string, Flags[string]][] {
  const value = place.reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], example)
  if (value === undefined) return []
  if (value === null) return [[flag, '']]
  if (kind === 'list') return [[flag, [(value as string[]).join(',')]]]
  return [[flag, kind === 'json' ? JSON.stringify(value) : String(value)]]
}

test('the help of every operation says what it needs, how it is called, and shows a call', async () => {
  await holdsFor(everyOperation, (operation) => {
    const command = commandOf(operation.id)
    const text = helpOf(
      { ...command, audience: 'integrator', load: async () => operationCommand(command) },
      operationCommand(command),
    )
    assert.doesNotMatch(text, / $/m, 'no line ends in a blank')
    for (const part of [
      `Usage: stint ${command.name}`,
      'Needs: ',
      `Operation ${operation.id}: `,
      `  npx stint ${command.name}`,
    ])
      assert.ok(text.includes(part), part)
    for (const scope of operation.scopes) assert.ok(text.includes(scope))
    for (const field of command.fields) assert.ok(text.includes(`--${optionOf(field).split(' ')[0]}`), field.flag)
  })
})

const field = (kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  ...{
    place: ['field'],
    flag: 'field',
    kind,
    choices: [],
    is_required: false,
    is_nullable: false,
    description: '',
    form: 'text',
  },
  ...more,
})
const taking = (one: Field) => ({ ...commandOf('teams.create'), fields: [one] })

test('a value becomes what its field is, and one that is not is refused by the name of its flag', () => {
  const cases: [Field, string, unknown][] = [
    [field('integer'), '5', 5],
    [field('boolean'), 'false', false],
    [field('list'), 'a,b', ['a', 'b']],
    [field('text'), '007', '007'],
    [field('text', { is_nullable: true }), '', null],
    [field('json'), '[{"a": 1}]', [{ a: 1 }]],
  ]
  for (const [one, given, value] of cases) assert.deepEqual(inputOf(taking(one), { field: given }), { field: value })
  for (const [kind, given] of [
    ['integer', '5.5'],
    ['integer', 'x'],
    ['boolean', 'yes'],
    ['json', '{'],
  ] as const)
    assert.throws(() => inputOf(taking(field(kind)), { field: given }), /--field/)
})

test('flags are put over --data, also inside of an object', () => {
  const command = commandOf('contracts.create')
  const data = '{"title": "A", "worker": {"first_name": "Mira", "email": "a@example.org"}}'
  assert.deepEqual(inputOf(command, { data, title: 'B', 'worker.email': 'b@example.org' }), {
    title: 'B',
    worker: { first_name: 'Mira', email: 'b@example.org' },
  })
  for (const wrong of ['[]', 'null', '{', '@/nonexistent'])
    assert.throws(() => inputOf(command, { data: wrong }), /--data/)
})
