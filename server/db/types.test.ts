import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { sql } from './sql.ts'
import { timestampOf } from './types.ts'

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
