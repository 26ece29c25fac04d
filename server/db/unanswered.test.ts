import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { startDatabaseProxy } from '#test/database-proxy.ts'
import { onServer, startThrowAwayServer } from '#test/server-of-run.ts'
import { openDatabase, sql } from './database.ts'
import { DatabaseUnavailable } from './errors.ts'

const limit_ms = 1_000

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

test('a commit whose standby is away is never told as done, and given up like any answer that stays away', async (t) => {
  // Only what asks for it waits for the standby, which never comes.
  const replicated = { synchronous_commit: 'local', synchronous_standby_names: 'nobody', max_wal_senders: '1' }
  const { owner, stop } = await startThrowAwayServer(replicated)
  t.after(stop)
  await onServer(owner, 'create role stint_app; create table marks (at int); grant all on marks to stint_app')
  await onServer(owner, 'create function app_now() returns timestamptz language sql as $$ select now() $$')
  const database = openDatabase(owner, { connections_max: 2 })
  t.after(() => database.close())
  const countMarks = () => database.row<{ marks: number }>(sql`select count(*)::int as marks from marks`)
  // The server's own limit is over first: it must not end the wait, which would be a success.
  const settings = { statement_timeout: String(limit_ms / 2), synchronous_commit: 'on' }
  const marked = database.transaction({ role: 'app', settings, answer_ms_max: limit_ms }, (tx) =>
    tx.run(sql`insert into marks values (1)`),
  )
  await assert.rejects(marked, DatabaseUnavailable)
  const waiting = await database.row(
    sql`select count(*)::int as commits from pg_stat_activity where wait_event = 'SyncRep'`,
  )
  assert.deepEqual([waiting, await countMarks()], [{ commits: 1 }, { marks: 0 }])
  await onServer(owner, 'alter system reset synchronous_standby_names')
  await onServer(owner, 'select pg_reload_conf()')
  for (let looks = 0; (await countMarks())?.marks === 0; looks += 1)
    assert.ok(looks < 10_000, 'the change never counts')
})
