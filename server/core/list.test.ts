// own process: it looks at the statements that its connection keeps, of which a process keeps 1,000 in all.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import {
  createCursors,
  createTotals,
  type ListBinding,
  type ListQuery,
  pageOfRows,
  readPage,
  type Totals,
} from './list.ts'
import { Problem } from './problems.ts'
import type { Page, PageRequest } from './schema/schema.ts'
import type { Secrets } from './secrets.ts'
import { newId } from './values.ts'

const secrets: Secrets = { sealing_keys: [{ id: 'a', key: randomBytes(32) }] }
const cursors = createCursors(secrets)
const organization_id = newId(0)
const binding: ListBinding = { operation: 'things.list', organization_id, filters: { color: 'red' } }

let own: TestDatabase
let totals: Totals
let now_ms = 0
before(async () => {
  own = await createTestDatabase()
  totals = createTotals(() => now_ms)
  await own.database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`create table things (organization_id uuid not null, id uuid not null, color text not null,
      created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (organization_id, id))`)
    await tx.run(sql`grant select, insert on things to stint_app`)
  })
})
after(() => own.drop())

interface Thing {
  id: string
  color: string
}

/** Adds rows, three to a millisecond, so that the order needs the id too. */
async function addThings(count: number, color = 'red'): Promise<void> {
  await own.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`insert into things select ${organization_id}::uuid, gen_random_uuid(), ${color}::text,
      '2026-01-01'::timestamptz + (n / 3) * interval '1 ms', '2026-01-01'::timestamptz + n * interval '1 s'
      from generate_series(1, ${count}::int) n`),
  )
}

const things = (color = 'red', more: Partial<ListQuery> = {}): ListQuery => ({
  columns: sql`id, color, created_at, updated_at`,
  from: sql`things`,
  where: [sql`organization_id = ${organization_id}`, sql`color = ${color}`],
  ...more,
})

function read(request: Partial<PageRequest> = {}, list = things(), bound = binding): Promise<Page<Thing>> {
  return own.database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
    readPage({ tx, cursors, totals }, list, { limit: 20, ...request }, bound, (row: Thing) => row),
  )
}

const isInvalidCursor = (error: unknown) => error instanceof Problem && error.definition.code === 'invalid_cursor'

test('an empty list is a page too', async () => {
  assert.deepEqual(await read({}, things('none')), { data: [], cursor: null, has_more: false, total_count: 0 })
})

test('pages together hold every row once, newest first, whatever their sizes', async () => {
  await addThings(25)
  const seen: string[] = []
  let cursor: string | undefined
  for (const limit of [1, 7, 3, 10, 100]) {
    const page: Page<Thing> = await read({ limit, ...(cursor !== undefined && { cursor }) })
    assert.equal(page.total_count, 25)
    assert.equal(page.has_more, page.cursor !== null)
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.cursor ?? undefined
  }
  const whole = await read({ limit: 100 })
  assert.deepEqual(
    seen,
    whole.data.map(({ id }) => id),
  )
  assert.equal(cursor, undefined)
})

test('a page that ends exactly at the last row has no more', async () => {
  assert.deepEqual(
    { ...(await read({ limit: 25 })), data: [] },
    { data: [], cursor: null, has_more: false, total_count: 25 },
  )
})

test('an ascending list by another column reads to its end', async () => {
  const list = things('red', { order: ['updated_at', 'id'], direction: 'asc' })
  const first = await read({ limit: 20 }, list)
  const second = await read({ limit: 20, ...(first.cursor && { cursor: first.cursor }) }, list)
  assert.equal(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 25)
})

test('updated_after is exclusive and counts in the total', async () => {
  const page = await read({ updated_after: '2026-01-01T00:00:20.000Z' })
  assert.deepEqual([page.data.length, page.total_count], [5, 5])
})

test('regression: a row comes to the list with its own columns only', async () => {
  const { data } = await read({ limit: 1 })
  assert.deepEqual(Object.keys(data[0] ?? {}).sort(), ['color', 'created_at', 'id', 'updated_at'])
})

test('a cursor is bound to operation, organization and filters', async () => {
  const { cursor } = await read({ limit: 1 })
  assert.ok(cursor)
  const foreign: Partial<ListBinding>[] = [
    { operation: 'other.list' },
    { organization_id: newId(1) },
    { filters: { color: 'blue' } },
    { filters: {} },
  ]
  for (const other of foreign)
    await assert.rejects(read({ cursor }, things(), { ...binding, ...other }), isInvalidCursor)
  await assert.doesNotReject(read({ cursor, limit: 3 }))
})

test('any altered cursor is refused', async () => {
  const { cursor } = await read({ limit: 1 })
  assert.ok(cursor)
  const altered = Array.from(
    cursor,
    (letter, index) => cursor.slice(0, index) + (letter === 'A' ? 'B' : 'A') + cursor.slice(index + 1),
  )
  const reshaped = [
    `${cursor}=`,
    `${cursor}.`,
    ` ${cursor}`,
    cursor.slice(0, -1),
    cursor.slice(1),
    `${cursor}${cursor}`,
  ]
  for (const wrong of [...altered, ...reshaped, '', '!', 'AAAA']) {
    assert.throws(() => cursors.read(wrong, binding), isInvalidCursor, wrong)
  }
})

test('a cursor sealed with an older key still reads', () => {
  const keys = ['2026-01-01 00:00:00+00', newId(0)]
  const before = createCursors({ ...secrets, sealing_keys: [{ id: 'old', key: Buffer.alloc(32, 1) }] })
  const now = createCursors({
    ...secrets,
    sealing_keys: [...secrets.sealing_keys, { id: 'old', key: Buffer.alloc(32, 1) }],
  })
  assert.deepEqual(now.read(before.write(keys, binding), binding), keys)
})

test('a cursor tells nothing of what it holds, not even whether it is of the same place as another', async () => {
  const keys = ['000000000000000042', 'a name in a row']
  const [one, other] = [cursors.write(keys, binding), cursors.write(keys, binding)]
  assert.notEqual(one, other)
  assert.equal(one.length, other.length)
  for (const key of keys) assert.ok(!Buffer.from(one, 'base64url').includes(key))
})

test('rows that the program holds itself page by their key', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const first = pageOfRows(names, (name) => name, { limit: 2 }, binding, cursors)
  assert.deepEqual({ ...first, cursor: null }, { data: ['a', 'b'], cursor: null, has_more: true, total_count: 5 })
  const rest = pageOfRows(names, (name) => name, { limit: 3, cursor: first.cursor ?? '' }, binding, cursors)
  assert.deepEqual(rest, { data: ['c', 'd', 'e'], cursor: null, has_more: false, total_count: 5 })
})

test('up to 10,000 rows the total is that of the page’s own snapshot', async () => {
  const blue = { ...binding, filters: { color: 'blue' } }
  await addThings(9_999, 'blue')
  assert.equal((await read({}, things('blue'), blue)).total_count, 9_999)
  await addThings(1, 'blue')
  assert.equal((await read({}, things('blue'), blue)).total_count, 10_000)
})

test('a larger total is exact when it is counted, and kept for 5 seconds', async () => {
  const blue = { ...binding, filters: { color: 'blue' } }
  await addThings(5, 'blue')
  assert.equal((await read({}, things('blue'), blue)).total_count, 10_005)
  await addThings(1, 'blue')
  now_ms += 5_000
  assert.equal((await read({}, things('blue'), blue)).total_count, 10_005)
  assert.equal(
    (await read({}, things('blue'), { ...blue, filters: { color: 'blue', is_new: true } })).total_count,
    10_006,
  )
  now_ms += 1
  assert.equal((await read({}, things('blue'), blue)).total_count, 10_006)
})

test('pages of a long list without filters are planned once, whatever their limit', async () => {
  await addThings(30_000, 'planned')
  const whole = { ...things(), where: [sql`organization_id = ${organization_id}`] }
  const asked = { ...binding, filters: {} }
  await own.database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`create index on things (organization_id, created_at desc, id desc)`)
    await tx.run(sql`analyze things`)
  })
  const plans = await own.database.transaction({ role: 'app', organization_id }, async (tx) => {
    for (const limit of [20, 1, 2, 5, 10, 50, 99, 100, 3, 20, 20, 20]) {
      const { data } = await readPage({ tx, cursors, totals }, whole, { limit }, asked, (row: Thing) => row)
      assert.equal(data.length, limit)
    }
    // A parameter, since this statement is prepared too and would find itself.
    const known_total = '%page.* from (select $1::int as total_count)%limit 101) few limit%'
    return tx.rows<{ anew: number; once: number }>(sql`
      select custom_plans::int as anew, generic_plans::int as once from pg_prepared_statements
      where statement like ${known_total}`)
  })
  assert.deepEqual(plans, [{ anew: 5, once: 6 }])
})

test('rows are counted in the tables that the total depends on', async () => {
  const grey = { ...binding, filters: { color: 'grey' } }
  await addThings(10_001, 'grey')
  const doubled = { from: sql`things cross join generate_series(1, 2)`, counted: sql`things` }
  assert.equal((await read({}, things('grey', doubled), grey)).total_count, 10_001)
  assert.equal((await read({}, things('green', doubled))).total_count, 0)
})

test('a large total is counted once for all who ask meanwhile, and anew after a failure', async () => {
  const asked = { ...binding, filters: { color: 'counted' } }
  const first = Promise.withResolvers<number>()
  const failed = [totals.count(asked, () => first.promise), totals.count(asked, () => Promise.resolve(1))]
  first.reject(new Error('the database went away'))
  for (const one of failed) await assert.rejects(one, /went away/)
  const second = Promise.withResolvers<number>()
  const both = [totals.count(asked, () => second.promise), totals.count(asked, () => Promise.resolve(1))]
  second.resolve(20_000)
  assert.deepEqual(await Promise.all(both), [20_000, 20_000])
  assert.equal(totals.known(asked), 20_000)
})

test('at most 1,000 totals are kept, the oldest goes first', async () => {
  for (let index = 0; index <= 1_000; index += 1)
    await totals.count({ ...binding, filters: { index } }, async () => index)
  assert.equal(totals.known({ ...binding, filters: { index: 0 } }), undefined)
  assert.equal(totals.known({ ...binding, filters: { index: 1_000 } }), 1_000)
})
