import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { openDatabase, sql } from './database.ts'

test('an organization whose transactions all wait leaves connections to the others, and then goes on', async (t) => {
  const { connection } = await useTestDatabase(t)
  const database = openDatabase(connection, { connections_max: 3 })
  t.after(() => database.close())
  const [attacker, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const begun: number[] = []
  const held = [0, 1, 2, 3].map((at) =>
    database.transaction({ role: 'app', organization_id: attacker }, async () => {
      begun.push(at)
      await released
    }),
  )
  try {
    const served = await database.transaction({ role: 'app', organization_id: other }, (tx) =>
      tx.row<{ one: number }>(sql`select 1 as one`),
    )
    assert.deepEqual(served, { one: 1 })
    assert.ok(begun.length <= 2, `${begun.length} of 3 connections`)
  } finally {
    release()
  }
  await Promise.all(held)
  assert.deepEqual(begun.sort(), [0, 1, 2, 3])
})

test('the last connection of a small pool is free again after a failure', async (t) => {
  const { connection } = await useTestDatabase(t)
  const database = openDatabase(connection, { connections_max: 1 })
  t.after(() => database.close())
  const options = { role: 'app', organization_id: crypto.randomUUID() } as const
  const failing = database.transaction(options, async () => assert.fail('on purpose'))
  const next = database.transaction(options, (tx) => tx.row(sql`select 1 as one`))
  await assert.rejects(failing, /on purpose/)
  assert.deepEqual(await next, { one: 1 })
})
