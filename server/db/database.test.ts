import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '#db/errors.ts'
import { sql } from '#db/sql.ts'
import { useTestDatabase } from '#test/database.ts'

test('a connection lost between two statements fails its transaction and not the process', async (t) => {
  const { database } = await useTestDatabase(t)
  const lost = database.transaction({ role: 'operator' }, async (tx) => {
    const own = await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const client = await database.connect()
    await client.query('select pg_terminate_backend($1, 5000)', [own?.pid])
    client.release()
    await tx.run(sql`select 1`)
  })
  await assert.rejects(lost, DatabaseUnavailable)
  const next = await database.transaction({ role: 'operator' }, (tx) => tx.row(sql`select 1 as alive`))
  assert.deepEqual(next, { alive: 1 })
})
