import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { createTestDatabase } from '#test/database.ts'
import { startDatabaseProxy } from '#test/database-proxy.ts'
import { freePort } from '#test/process.ts'
import { onServer } from '#test/server-of-run.ts'
import { missingRights, type Rights, reachDatabase } from './reach-database.ts'
import { StartRefused } from './start-refused.ts'

const patient = { purpose: 'serve', statements: 'named', wait_ms: 60_000, tell: () => undefined } as const

/** The address of a database as `DATABASE_URL` has it; `user` and `database` replace those of the connection. */
function addressOf({ host = '', port, user, database, password }: pg.PoolConfig): string {
  const url = new URL(`postgres:///${database}`)
  const given = { host, port, user, ...(typeof password === 'string' && { password }) }
  for (const [name, value] of Object.entries(given)) url.searchParams.set(name, String(value))
  return url.href
}

async function ownDatabase(t: TestContext) {
  const own = await createTestDatabase()
  t.after(() => own.drop())
  return own
}

test('a database that is not up yet is waited for, and taken when it is', async (t) => {
  const { connection } = await ownDatabase(t)
  const port = await freePort()
  const told: string[] = []
  const tell = (line: string) => {
    told.push(line)
    void startDatabaseProxy(t, connection, { port })
  }
  await reachDatabase(addressOf({ ...connection, host: '127.0.0.1', port }), { ...patient, tell })
  assert.equal(told.length, 1)
  assert.match(
    told[0] ?? '',
    /^waiting for the database of DATABASE_URL at 127\.0\.0\.1, for 60 s at most: .*ECONNREFUSED/,
  )
})

test('the wait for a database is bounded, names the setting, and quotes no password', async () => {
  const url = `postgres://stint:geheim@127.0.0.1:${await freePort()}/stint`
  await assert.rejects(reachDatabase(url, { ...patient, wait_ms: 0 }), (error) => {
    assert.ok(error instanceof StartRefused)
    assert.match(error.message, /DATABASE_URL at 127\.0\.0\.1:\d+ did not answer within 0 s .*ECONNREFUSED/)
    return !error.message.includes('geheim')
  })
})

test('the wait for a database ends at once when the start is ended', async () => {
  const ending = new AbortController()
  const url = `postgres://stint@127.0.0.1:${await freePort()}/stint`
  const waiting = reachDatabase(url, { ...patient, tell: () => ending.abort(), signal: ending.signal })
  await assert.rejects(waiting, { name: 'AbortError' })
})

test('a database that does not exist is refused at once', async (t) => {
  const { connection } = await ownDatabase(t)
  const nowhere = addressOf({ ...connection, database: 'stint_of_nobody' })
  await assert.rejects(reachDatabase(nowhere, patient), /DATABASE_URL at .* has no such database .*stint_of_nobody/)
})

test('all rights that a login lacks are named at once, as statements that give them', async (t) => {
  const { connection, owner } = await ownDatabase(t)
  const login = `stint_stranger_${randomBytes(4).toString('hex')}`
  await onServer(owner, `create role ${login} login`)
  const url = addressOf({ ...connection, user: login })
  const lacked = async (purpose: 'serve' | 'migrate') => {
    const error = await reachDatabase(url, { ...patient, purpose }).catch((refusal: Error) => refusal)
    assert.ok(error instanceof StartRefused, String(error))
    return [...error.message.matchAll(/^ {2}(.*);$/gm)].map(([, statement = '']) => statement)
  }
  try {
    const served = `grant stint_app, stint_engine, stint_lookup, stint_operator to ${login}`
    const backedUp = `grant stint_backup to ${login}`
    const all = `grant stint_app, stint_backup, stint_engine, stint_lookup, stint_operator to ${login}`
    const schema = `alter schema public owner to ${login}`
    const [owned = '', ...more] = (await lacked('migrate')).slice(2)
    assert.match(owned, new RegExp(`^grant \\w+ to ${login}$`))
    assert.deepEqual(more, [])
    assert.deepEqual(await lacked('migrate'), [all, schema, owned])
    assert.deepEqual(await lacked('serve'), [served])
    await onServer(owner, served)
    await reachDatabase(url, patient)
    assert.deepEqual(await lacked('migrate'), [backedUp, schema, owned])
    await onServer(owner, backedUp)
    assert.deepEqual(await lacked('migrate'), [schema, owned])
  } finally {
    await onServer(owner, `drop role ${login}`)
  }
})

test('roles that nobody made yet are asked of an administrator where the login may not make them', () => {
  const stranger: Rights = {
    login: 'Pay roll',
    database: 'stint',
    server_version: 17,
    may_create_roles: false,
    absent_roles: ['stint_app', 'stint_engine'],
    foreign_roles: ['stint_lookup'],
    owns_schema: true,
    foreign_owner: null,
  }
  assert.deepEqual(missingRights(stranger, 'migrate'), [
    'create role stint_app nologin',
    'create role stint_engine nologin',
    'grant stint_app, stint_engine, stint_lookup to "Pay roll"',
  ])
  const maker = { ...stranger, may_create_roles: true, foreign_roles: [] }
  assert.deepEqual(missingRights(maker, 'migrate'), [])
})

test('a pooler that drops what connections ask for is refused, with the statements that give it to the login', async (t) => {
  const { connection, owner } = await ownDatabase(t)
  const login = `stint_pooled_${randomBytes(4).toString('hex')}`
  const roles = 'stint_app, stint_engine, stint_lookup, stint_operator'
  await onServer(owner, `create role ${login} login; grant ${roles} to ${login}`)
  try {
    const proxy = await startDatabaseProxy(t, { ...connection, user: login }, { drops_options: true })
    const url = addressOf(proxy.connection)
    const error = await reachDatabase(url, patient).catch((refusal: Error) => refusal)
    assert.ok(error instanceof StartRefused, String(error))
    assert.match(error.message, /a pooler is between/)
    const statements = [...error.message.matchAll(/^ {2}(alter role .*);$/gm)].map(([, statement = '']) => statement)
    assert.ok(statements.includes(`alter role ${login} set intervalstyle = 'iso_8601'`), error.message)
    for (const statement of statements) await onServer(owner, statement)
    await reachDatabase(url, patient)
  } finally {
    await onServer(owner, `drop role ${login}`)
  }
})
