import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { startDatabaseProxy } from '#test/database-proxy.ts'
import { openDatabase } from './database.ts'
import { comparedWith } from './standby.ts'

test('a standby behind a pooler that drops what connections ask for is not read, since its times would be hours off', async (t) => {
  const { connection, database } = await useTestDatabase(t)
  const proxy = await startDatabaseProxy(t, connection, { drops_options: true })
  const standby = openDatabase(proxy.connection, { connections_max: 1 })
  t.after(() => standby.close())
  const compare = comparedWith({ primary: database, standby }, () => 0)
  assert.deepEqual(await compare(), { fault: 'a pooler drops the time zone that its connections ask for' })
})
