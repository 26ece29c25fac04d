import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { openDatabase, sql } from './database.ts'

// In a file of its own: beyond a number of texts, statements of a process have no names.
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
