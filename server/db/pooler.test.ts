import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'

test('statements have a name on each connection, unless a pooler could not carry it', async (t) => {
  // A module of its own: beyond a number of texts, statements of a process have no names, and other tests share this one.
  // An import by a computed address has no type of its own.
  const own: typeof import('./database.ts') = await import(new URL('./database.ts?own', import.meta.url).href)
  const { connection } = await useTestDatabase(t)
  const prepared = async (statements: 'named' | 'unnamed') => {
    const database = own.openDatabase({ ...connection, statements }, { connections_max: 1 })
    await database.transaction({ role: 'engine' }, (tx) => tx.row(own.sql`select ${1}::int as one`))
    const row = await database.row(own.sql`select count(*)::int as kept from pg_prepared_statements where not from_sql`)
    await database.close()
    return row
  }
  assert.deepEqual([await prepared('named'), await prepared('unnamed')], [{ kept: 2 }, { kept: 0 }])
})
