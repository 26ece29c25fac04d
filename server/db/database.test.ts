import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { openDatabase, openingOf, sql } from './database.ts'
import { DatabaseUnavailable } from './errors.ts'
import { textsOf, timestampOf } from './rows.ts'

test('a connection lost between two statements fails its transaction and not the process', async (t) => {
  const { database } = await useTestDatabase(t)
  const lost = database.transaction({ role: 'lookup' }, async (tx) => {
    const own = await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const client = await database.connect()
    await client.query('select pg_terminate_backend($1, 5000)', [own?.pid])
    client.release()
    await tx.run(sql`select 1`)
  })
  await assert.rejects(lost, DatabaseUnavailable)
  const next = await database.transaction({ role: 'lookup' }, (tx) => tx.row(sql`select 1 as alive`))
  assert.deepEqual(next, { alive: 1 })
})

test('options in the connection string join ours: times stay in UTC', async (t) => {
  const { connection } = await useTestDatabase(t)
  const { host = '', port = 5432, user = '', password, database: name = '' } = connection
  const url = new URL(`postgres:///${name}`)
  const fields = { host, port: String(port), user, ...(typeof password === 'string' && { password }) }
  for (const [field, value] of Object.entries(fields)) url.searchParams.set(field, value)
  url.searchParams.set('options', '-c timezone=Asia/Tokyo -c work_mem=1MB')
  const database = openDatabase({ connectionString: url.href }, { connections_max: 1 })
  const settings = await database.row(
    sql`select current_setting('timezone') as timezone, current_setting('work_mem') as work_mem`,
  )
  await database.close()
  assert.deepEqual(settings, { timezone: 'UTC', work_mem: '1MB' })
})

test('statements that are sent before the program waits leave as one packet', async (t) => {
  const { database } = await useTestDatabase(t)
  const client = await database.connect()
  // The cast holds for every client of the pool; the types of the driver do not say it.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const answers = Promise.all([client.query('select 1'), client.query('select 2')])
  const before = stream.writableCorked
  await answers
  client.release()
  assert.deepEqual([before, stream.writableCorked], [1, 0])
})

test('statements have a name on each connection, unless a pooler could not carry it', async (t) => {
  const { connection } = await useTestDatabase(t)
  const prepared = async (statements: 'named' | 'unnamed') => {
    const database = openDatabase({ ...connection, statements }, { connections_max: 1 })
    await database.transaction({ role: 'engine' }, (tx) => tx.row(sql`select ${1}::int as one`))
    const row = await database.row(sql`select count(*)::int as kept from pg_prepared_statements where not from_sql`)
    await database.close()
    return row
  }
  assert.deepEqual([await prepared('named'), await prepared('unnamed')], [{ kept: 2 }, { kept: 0 }])
})

const id = '019cadc6-9a80-70df-929e-750f1228d11d'

test('one message opens a transaction with role, organization, timeouts and clock', () => {
  assert.equal(
    openingOf({ role: 'app', organization_id: id }),
    'begin isolation level read committed;set local role stint_app;set local statement_timeout = 30000;' +
      'set local idle_in_transaction_session_timeout = 60000;' +
      `set local app.organization_id = '${id}';select app_now()::timestamptz(3) as now`,
  )
  assert.match(
    openingOf({ role: 'engine', read_only: true }),
    /^begin isolation level read committed read only;set local role stint_engine;/,
  )
  assert.match(openingOf({ role: 'operator' }), /^begin isolation level read committed;set local role stint_operator;/)
  assert.doesNotMatch(openingOf({ role: 'owner' }), /set local role/)
})

const hostile = [
  `${id}'; drop table organizations; --`,
  `${id}\n`,
  `'`,
  '',
  id.toUpperCase(),
  id.replaceAll('-', ''),
  `{${id}}`,
  `${id}${id}`,
  '019cadc6-9a80-70df-929e-750f1228d11g',
]
for (const organization_id of hostile) {
  test(`an organization that is no id is refused before it is written into SQL: ${JSON.stringify(organization_id)}`, () => {
    assert.throws(() => openingOf({ role: 'app', organization_id }), TypeError)
  })
}

const timestamps: [postgres: string, rfc3339: string][] = [
  ['2026-01-12 09:00:00+00', '2026-01-12T09:00:00.000Z'],
  ['2026-01-12 09:00:00.5+00', '2026-01-12T09:00:00.500Z'],
  ['2026-01-12 09:00:00.123+00', '2026-01-12T09:00:00.123Z'],
  ['2026-01-12 09:00:00.123456+00', '2026-01-12T09:00:00.123Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
]
for (const [postgres, rfc3339] of timestamps) {
  test(`${postgres} is ${rfc3339}`, () => assert.equal(timestampOf(postgres), rfc3339))
}

const lists: [postgres: string, texts: unknown[]][] = [
  ['{}', []],
  ['{contracts:read}', ['contracts:read']],
  ['{contracts:read,people:read}', ['contracts:read', 'people:read']],
  ['{"a, b",c}', ['a, b', 'c']],
  ['{c,""}', ['c', '']],
  ['{NULL,"NULL"}', [null, 'NULL']],
  ['{"a\\\\b","\\""}', ['a\\b', '"']],
  [
    '{{a,b},{c,d}}',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
]
for (const [postgres, texts] of lists) {
  test(`${postgres} is a list of ${texts.length}`, () => assert.deepEqual(textsOf(postgres), texts))
}

test('values come out of the database as the wire shows them', async (t) => {
  const { database } = await useTestDatabase(t)
  const row = await database.transaction({ role: 'owner' }, (tx) =>
    tx.row(sql`select '2026-01-12T10:00:00.25+01:00'::timestamptz(3) as at, '2026-01-12'::date as day,
      12345678901234567.89::numeric as amount, 9007199254740993::int8 as big, 7::int4 as small, true as flag,
      '{"a": 1}'::jsonb as object, array['a', 'b'] as words, null::timestamptz as never`),
  )
  assert.deepEqual(row, {
    at: '2026-01-12T09:00:00.250Z',
    day: '2026-01-12',
    amount: '12345678901234567.89',
    big: '9007199254740993',
    small: 7,
    flag: true,
    object: { a: 1 },
    words: ['a', 'b'],
    never: null,
  })
})
