import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { openDatabase, sql } from '#db/database.ts'
import { createSealing } from '#resources/audit/index.ts'
import { activeContract, createContract } from '#test/factories.ts'
import { invariants } from '#test/invariants.ts'
import { dropDatabase, onServer } from '#test/server-of-run.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { verifyAudit } from '../verify-audit.ts'
import { createBackup } from './create-backup.ts'
import { loadBackup, openBackup } from './load-backup.ts'

const release = '0.0.0-test'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stint-backup-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** The database of a test is gone when its own tidying begins. */
const besides = (owner: pg.PoolConfig) => ({ ...owner, database: 'postgres' })

/** An empty database beside another one. */
async function emptyDatabase(t: TestContext, owner: pg.PoolConfig): Promise<pg.PoolConfig> {
  const name = `stint_restored_${randomBytes(6).toString('hex')}`
  await onServer(owner, `create database ${name}`)
  t.after(() => dropDatabase(besides(owner), name))
  return { ...owner, database: name }
}

/** Makes a test database one as a service has it: without the clock that tests move. */
const withoutTestClock = `drop table test_clock;
  create or replace function app_now() returns timestamptz language sql stable parallel safe return statement_timestamp()`

async function query<Row extends pg.QueryResultRow>(connection: pg.PoolConfig, text: string): Promise<Row[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    // The answer to several statements is a list, which the types of the driver do not say.
    return ([await client.query<Row>(text)].flat().at(-1) as pg.QueryResult<Row>).rows
  } finally {
    await client.end()
  }
}

/** As the role that sees every row, since the owner of the tables sees none. */
const asReader = (connection: pg.PoolConfig, text: string) =>
  query<Record<string, string>>(connection, `begin; set local role stint_backup; ${text}`)

/** Number and hash of the rows of every table, by PostgreSQL's own means, of all columns. */
async function rowHashes(connection: pg.PoolConfig): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    connection,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition order by 1`,
  )
  const each = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' order by t::text)), '') as hash from ${name} t`,
  )
  const rows = await asReader(connection, each.join(' union all '))
  return Object.fromEntries(rows.map(({ name = '', hash = '' }) => [name, hash]))
}

/** A backup during which nobody wrote: the log of requests and the use of tokens are written behind the answers. */
async function backUpAtRest(place: string, connection: pg.PoolConfig) {
  for (let tries = 1; tries <= 50; tries += 1) {
    const path = join(place, `${tries}.tar`)
    const before = await rowHashes(connection)
    const made = await createBackup({ connection, path, release, part_bytes: 1_000 })
    if (isDeepStrictEqual(await rowHashes(connection), before)) return { path, made, before }
  }
  return assert.fail('rows were written during 50 backups')
}

/** The whole schema, as the server describes it. */
const schemaOf = (connection: pg.PoolConfig) =>
  query(
    connection,
    `select conrelid::regclass::text as of, conname::text as name, pg_get_constraintdef(oid) as text from pg_constraint
       where connamespace = 'public'::regnamespace
     union all select tgrelid::regclass::text, tgname, tgenabled::text from pg_trigger where not tgisinternal
     union all select oid::regclass::text, relkind::text, format('%s %s %s', relrowsecurity, relforcerowsecurity, pg_get_expr(relpartbound, oid))
       from pg_class where relnamespace = 'public'::regnamespace
     union all select tablename, policyname, format('%s %s %s', roles, qual, with_check) from pg_policies
     union all select relname, 'rights', relacl::text from pg_class where relnamespace = 'public'::regnamespace and relkind <> 'i'
     order by 1, 2, 3`,
  )

/** A service with rows of many kinds, some of which lie in a partition that no migration makes. */
async function filledService(t: TestContext): Promise<TestService> {
  const service = await useTestService(t, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
  await query(service.database.owner, "select add_event_partitions('2026-03-02')")
  await service.call('POST', '/webhooks', {
    body: { url: 'https://127.0.0.1:8444/hook', events: ['contract.created'] },
  })
  const { id } = await activeContract(service)
  const title = 'Zeichen: \t \\ \\N „ü“ 🌱\r\nand a second line'
  const { id: organization_id } = service.organization
  await service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`update contracts set title = ${title} where organization_id = ${organization_id} and id = ${id}`),
  )
  await createContract(service)
  return service
}

test('a backup that is restored is the same database: rows, schema, partitions, sequences', async (t) => {
  const service = await filledService(t)
  const { owner } = service.database
  await query(owner, `${withoutTestClock}; select nextval(pg_get_serial_sequence('webhook_schedules', 'id'))`)
  const { path, made, before } = await backUpAtRest(await folder(t), owner)
  const target = await emptyDatabase(t, owner)
  const backup = await openBackup(path)
  t.after(() => backup.archive.close())
  assert.deepEqual(backup.about, made)
  await loadBackup(backup, { connection: target })

  const after = await rowHashes(target)
  assert.ok(Number.parseInt(before.events ?? '', 10) >= 4)
  const { event_feed_head: head_before, ...others_before } = before
  const { event_feed_head: head_after, ...others_after } = after
  assert.deepEqual(others_after, others_before)
  assert.notEqual(head_after, head_before, 'numbers of the feed that were given after the backup are not given again')
  assert.deepEqual(await schemaOf(target), await schemaOf(owner))
  const next = "select nextval(pg_get_serial_sequence('webhook_schedules', 'id')) as next"
  assert.deepEqual(await query(target, next), await query(owner, next))

  await assert.rejects(loadBackup(backup, { connection: target }), /the database is not empty: it has access_tokens/)
  assert.deepEqual((await rowHashes(target)).contracts, before.contracts)
})

test('the audit log of a restored database is whole up to a seal that was kept, and its chain goes on', async (t) => {
  const service = await filledService(t)
  const { owner } = service.database
  await service.sealing.runDue()
  const { body: seal } = await service.call('GET', '/audit-entries/seal')
  await createContract(service)
  await query(owner, withoutTestClock)
  const path = join(await folder(t), 'one.tar')
  await createBackup({ connection: owner, path, release })
  const target = await emptyDatabase(t, owner)
  const backup = await openBackup(path)
  await loadBackup(backup, { connection: target })
  await backup.archive.close()

  const restored = openDatabase(target, { connections_max: 2 })
  try {
    const [before] = await verifyAudit(restored, { seals: [seal] })
    assert.deepEqual([before?.findings, before?.seals_compared, before?.unsealed.count], [[], 1, 1])
    assert.equal(await createSealing(restored, service.runtime.log).runDue(), 1)
    const [after] = await verifyAudit(restored, { seals: [seal] })
    assert.deepEqual([after?.findings, after?.seal.entries_total], [[], seal.entries_total + 1])
  } finally {
    await restored.close()
  }
})

test('what is written while a backup is made is in it whole or not at all', async (t) => {
  const service = await filledService(t)
  const { owner } = service.database
  await query(owner, withoutTestClock)
  const path = join(await folder(t), 'one.tar')
  let written = 0
  // Between two tables, each time: rows of the later ones would be there without those of the earlier ones.
  const progress = async () => {
    if (written >= 6) return
    written += 1
    await createContract(service)
  }
  await createBackup({ connection: owner, path, release, progress })
  assert.equal(written, 6)
  const target = await emptyDatabase(t, owner)
  const backup = await openBackup(path)
  await loadBackup(backup, { connection: target })
  await backup.archive.close()
  const [counts] = await asReader(
    target,
    `select (select count(*)::int from contracts) as contracts,
       (select count(*)::int from events where event_type = 'contract.created') as events,
       (select count(*)::int from webhook_open_deliveries) as deliveries`,
  )
  assert.deepEqual(counts, { contracts: 2, events: 2, deliveries: 2 })
  for (const [name, text] of Object.entries(invariants)) {
    assert.deepEqual(await asReader(target, text.replaceAll('$1', `'${service.organization.id}'::uuid`)), [], name)
  }
})

test('a login reads a backup by the role made for it alone, and no table is left out in silence', async (t) => {
  const service = await filledService(t)
  const { owner } = service.database
  await query(owner, withoutTestClock)
  const login = `stint_reader_${randomBytes(4).toString('hex')}`
  await query(owner, `create role ${login} login`)
  t.after(() => onServer(besides(owner), `drop role ${login}`))
  const place = await folder(t)
  const connection = { ...owner, user: login }
  const create = () => createBackup({ connection, path: join(place, 'one.tar'), release })

  await assert.rejects(
    create(),
    new RegExp(`the login ${login} may not read every row.*\n.*\n {2}grant stint_backup to "${login}"`),
  )
  await query(owner, `grant stint_backup to ${login}; create table notes (note text)`)
  await assert.rejects(create(), /stint_backup cannot read every row of notes/)
  await query(owner, 'drop table notes; drop policy backup on invoices')
  await assert.rejects(create(), /stint_backup cannot read every row of invoices/)
  await query(owner, 'create policy backup on invoices for select to stint_backup using (true)')
  assert.deepEqual(await readdir(place), [])
  const made = await create()
  const seen = await asReader(owner, 'select count(*) as rows from events')
  assert.ok(made.rows > Number(seen[0]?.rows))
})

test('a backup whose connection is lost leaves no file, and one whose rows are others is refused with nothing written', async (t) => {
  const service = await filledService(t)
  const { owner } = service.database
  await query(owner, withoutTestClock)
  const place = await folder(t)
  const path = join(place, 'one.tar')
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stint backup' and datname = current_database()`
  const progress = () => query(owner, end).then(() => undefined)
  await assert.rejects(
    createBackup({ connection: owner, path, release, progress }),
    /the database does not answer|terminating connection/,
  )
  assert.deepEqual(await readdir(place), [])

  await createBackup({ connection: owner, path, release })
  const target = await emptyDatabase(t, owner)
  const { archive, manifest, about } = await openBackup(path)
  t.after(() => archive.close())
  const tables = manifest.tables.map((table) =>
    table.name === 'people' ? { ...table, row_hash: '0'.repeat(64) } : table,
  )
  const other = { archive, manifest: { ...manifest, tables }, about }
  await assert.rejects(
    loadBackup(other, { connection: target }),
    /the rows of people are not those of the backup: \d of \d rows/,
  )
  assert.deepEqual(await query(target, `select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
})
