import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedPostgres } from '@stint/embedded-postgres'
import { useTestDatabase } from '#test/database.ts'
import { startDatabaseProxy } from '#test/database-proxy.ts'
import { onServer } from '#test/server-of-run.ts'
import { openDatabase, sql } from './database.ts'
import { DatabaseUnavailable } from './errors.ts'

const limit_ms = 300

for (const kind of ['a change', 'a read'] as const) {
  test(`${kind} whose database is gone without a word is given up, and the next one is served on a new connection`, async (t) => {
    const { connection } = await useTestDatabase(t)
    const proxy = await startDatabaseProxy(t, connection)
    const database = openDatabase(proxy.connection, { connections_max: 1 })
    t.after(() => database.close())
    const asked = { role: 'engine', answer_ms_max: limit_ms, read_only: kind === 'a read' } as const
    const given_up = database.transaction(asked, async (tx) => {
      await tx.row(sql`select 1`)
      proxy.silence()
      await tx.row(sql`select 2`)
    })
    await assert.rejects(given_up, DatabaseUnavailable)
    const next = await database.transaction(asked, (tx) => tx.row(sql`select 3 as answered`))
    assert.deepEqual(next, { answered: 3 })
  })
}

/**
 * A standby that never comes: commits wait for it. PostgreSQL ends that wait when a statement's time is up, and answers as
 * if all were well.
 */
test('a commit that waits for its standby is not acknowledged before, whatever time limit a statement has', async (t) => {
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-standby-'))
  t.after(() => rm(data_dir, { recursive: true, force: true }))
  const server = await startEmbeddedPostgres({ data_dir })
  t.after(() => server.stop())
  const { owner } = server
  await onServer(owner, 'create role stint_app; create table marks (at int); grant all on marks to stint_app')
  await onServer(owner, 'create function app_now() returns timestamptz language sql as $$ select now() $$')
  const waitForStandby = async (names: string) => {
    await onServer(owner, `alter system set synchronous_standby_names = '${names}'`)
    await onServer(owner, 'select pg_reload_conf()')
  }
  const database = openDatabase(owner, { connections_max: 2 })
  t.after(() => database.close())
  const countMarks = () =>
    database.transaction({ role: 'app', read_only: true }, (tx) =>
      tx.row(sql`select count(*)::int as marks from marks`),
    )
  await waitForStandby('nobody')
  let is_answered = false
  const short = { role: 'app', settings: { statement_timeout: String(limit_ms) } } as const
  const marked = database
    .transaction(short, (tx) => tx.run(sql`insert into marks values (1)`))
    .then(() => {
      is_answered = true
    })
  const isWaiting = () => database.row(sql`select pid from pg_stat_activity where wait_event = 'SyncRep'`)
  for (let looks = 0; !(await isWaiting()); looks += 1) assert.ok(looks < 10_000, 'no commit waits for a standby')
  await database.row(sql`select pg_sleep(${(2 * limit_ms) / 1_000})`)
  assert.deepEqual([is_answered, await countMarks()], [false, { marks: 0 }])
  await waitForStandby('')
  await marked
  assert.deepEqual(await countMarks(), { marks: 1 })
})
