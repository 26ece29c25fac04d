import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type pg from 'pg'
import { settingsTable } from '#boot/config.ts'
import { operations } from '#boot/operations.ts'
import { createWholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import { openDatabase } from '#db/database.ts'
import { migrate, schemaState } from '#db/migrate.ts'
import { createOperatorToken } from '#operator/administration.ts'
import { loadBackup, openBackup } from '#operator/backup/load-backup.ts'
import type { TableOfManifest } from '#operator/backup/manifest.ts'
import { createRowHash, wholeLines } from '#operator/backup/row-hash.ts'
import { copyRows, onConnection, setForCopies } from '#operator/backup/snapshot.store.ts'
import { createTestDatabase } from '#test/database.ts'
import { invariants } from '#test/invariants.ts'
import { dropDatabase, onServer } from '#test/server-of-run.ts'

/**
 * The demo organization as the former release wrote it: `stint backup create` of a new service, schema version 48. A release takes the
 * place of its own former one here (CONTRIBUTING, "Add a migration").
 */
const former = new URL('./former-release.tar', import.meta.url).pathname

/** Tables whose former columns a migration since then is meant to change, and why. */
const meant_to_change: Record<string, string> = {
  schema_migrations: 'has a row for each',
  event_feed_head: 'is moved on by a restore',
}

test('the data of the former release migrate: nothing is changed that was not meant to, and every list shows it', async () => {
  const own = await createTestDatabase()
  const name = `stint_former_${randomBytes(6).toString('hex')}`
  await onServer(own.owner, `create database ${name}`)
  const owner = { ...own.owner, database: name }
  const database = openDatabase(owner, { connections_max: 4 })
  const { archive, manifest, about } = await openBackup(former)
  try {
    await loadBackup({ archive, manifest, about }, { connection: owner })
    const before = await schemaState(database)
    assert.deepEqual([before.state, before.version], ['behind', about.schema_version])
    await migrate(database)
    assert.equal((await schemaState(database)).state, 'current')

    for (const table of manifest.tables) {
      const { rows, row_hash } = table
      if (!(table.name in meant_to_change))
        assert.deepEqual(await hashNow(owner, table), { rows, row_hash }, table.name)
    }
    await everyListAnswers(database, { ...own.connection, database: name })
    const [organization] = await asReader(owner, 'select id::text from organizations')
    for (const [invariant, text] of Object.entries(invariants)) {
      assert.deepEqual(await asReader(owner, text.replaceAll('$1', `'${organization?.id}'::uuid`)), [], invariant)
    }
  } finally {
    await archive.close()
    await database.close()
    await dropDatabase(own.owner, name)
    await own.drop()
  }
})

/** The hash that the rows of a table have by the columns of then. */
const hashNow = (connection: pg.PoolConfig, table: TableOfManifest) =>
  onConnection(connection, async (client) => {
    await client.query('begin')
    await setForCopies(client)
    await client.query('set local role stint_backup')
    const rowHash = createRowHash()
    for await (const lines of wholeLines(copyRows(client, table), 2 ** 20)) rowHash.add(lines)
    await client.query('commit')
    return rowHash.result()
  })

const asReader = (connection: pg.PoolConfig, text: string) =>
  onConnection(connection, async (client) => {
    await client.query('begin; set local role stint_backup')
    return (await client.query<Record<string, string>>(text)).rows
  })

/** Calls each operation that needs nothing but a token, with every check of our own answers switched on. */
async function everyListAnswers(database: ReturnType<typeof openDatabase>, connection: pg.PoolConfig): Promise<void> {
  const log = createLog('silent', { write: () => undefined })
  const service = createWholeService({
    ...{ config: readSettings(settingsTable, {}), origin: 'https://stint.test', database, connection, log },
    ...{ secrets: { sealing_keys: [{ id: 'test', key: randomBytes(32) }] }, clock: { now: Date.now }, strict: true },
  })
  await service.app.ready()
  const rights = { scopes: 'all', sensitive_data: 'all', expires_at: null } as const
  const { token } = await createOperatorToken(database, { organization: 'Harbour Pine', name: 'upgrade', ...rights })
  let lists = 0
  for (const { id, method, path } of operations) {
    if (method !== 'GET' || path.includes('{')) continue
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode, body } = await service.app.inject({ url: `/rest/v2${path}`, headers })
    // Some ask for the organization of a worker, or for a parameter.
    assert.ok(statusCode < 500, `${id}: ${body}`)
    if (statusCode === 200) lists += 1
  }
  assert.ok(lists > 20, String(lists))
  await service.app.close()
  await service.stopWorkers()
  await service.close()
}
