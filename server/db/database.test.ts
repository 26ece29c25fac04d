import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { sql } from '#db/sql.ts'
import { useTestDatabase } from '#test/database.ts'

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
