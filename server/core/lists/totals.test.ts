import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql, type Transaction } from '#db/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { newId } from '../values.ts'
import { createTotals, type Totals } from './totals.ts'

const exact_rows = 10_000
const organization_id = newId(0)
const binding = { operation: 'things.list', organization_id, filters: {} }
const from = sql`things`
const filtered = sql`organization_id = ${organization_id}`

let own: TestDatabase
let totals: Totals
let now_ms = 0
before(async () => {
  own = await createTestDatabase()
  await own.database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`create table things (organization_id uuid not null)`)
    await tx.run(sql`grant select, insert on things to stint_app`)
  })
  await addThings(exact_rows)
})
beforeEach(() => {
  now_ms = 0
  totals = createTotals(own.database, () => now_ms)
})
after(() => own.drop())

const inApp = <Result>(work: (tx: Transaction) => Promise<Result>) =>
  own.database.transaction({ role: 'app', organization_id }, work)

async function addThings(count: number): Promise<void> {
  await inApp((tx) =>
    tx.run(sql`insert into things select ${organization_id}::uuid from generate_series(1, ${count}::int)`),
  )
}

/** Makes the total as a list does: the bounded count with the page, then whatever is to be answered. */
function count(): Promise<number> {
  return inApp(async (tx) => {
    const bounded = await tx.row<{ total_count: number }>(totals.bounded(from, filtered))
    return totals.settle(tx, binding, undefined, from, filtered, bounded?.total_count ?? 0)
  })
}

test('up to 10,000 rows the total is counted each time and not kept', async () => {
  assert.equal(await count(), exact_rows)
  assert.equal(totals.known(binding), undefined)
})

test('a larger total is exact when it is counted, and kept for 5 seconds', async () => {
  await addThings(5)
  assert.equal(await count(), exact_rows + 5)
  assert.equal(totals.known(binding), exact_rows + 5)
  assert.equal(totals.known({ ...binding, filters: { color: 'red' } }), undefined)
  assert.equal(totals.known(binding, '2026-01-01T00:00:00.000Z'), undefined)
  now_ms = 5_001
  assert.equal(totals.known(binding), undefined)
})

test('from half its age on a total is renewed behind the reader who is served at once', async () => {
  const old = await count()
  await addThings(1)
  now_ms = 2_501
  assert.equal(totals.known(binding), old)
  // The renewal is one query on the same pool; asking the pool until it is answered is the signal.
  for (let asked = 0; totals.known(binding) === old && asked < 1_000; asked += 1)
    await inApp((tx) => tx.run(sql`select`))
  assert.equal(totals.known(binding), old + 1)
})

test('at most 1,000 totals are kept, the oldest goes first', async () => {
  await inApp(async (tx) => {
    for (let index = 0; index <= 1_000; index += 1) {
      await totals.settle(
        tx,
        { ...binding, filters: { index } },
        undefined,
        sql`(select 1) one`,
        sql`true`,
        exact_rows + 1,
      )
    }
  })
  assert.equal(totals.known({ ...binding, filters: { index: 0 } }), undefined)
  assert.equal(totals.known({ ...binding, filters: { index: 1_000 } }), 1)
})
