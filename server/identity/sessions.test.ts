import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { type TestDatabase, useTestDatabase } from '#test/database.ts'
import { beginSession, currentSession, endSession } from './session.store.ts'

const lookup = { role: 'lookup' } as const
const hour_ms = 3_600_000

async function addUser({ database }: TestDatabase): Promise<string> {
  const user_id = newId(Date.now())
  await database.transaction({ role: 'owner' }, (tx) =>
    insertUser(tx, { id: user_id, email: `${user_id}@example.org`, name: 'Nora Pine', password_hash: null }),
  )
  return user_id
}

async function addMember({ database }: TestDatabase, user_id: string, organization: string): Promise<string> {
  const organization_id = newId(Date.now())
  await database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertOrganization(tx, {
      id: organization_id,
      name: organization,
      country: 'DE',
      default_currency: 'EUR',
      timezone: 'UTC',
      is_sandbox: true,
    })
    await grantMembership(tx, organization_id, user_id, 'finance')
  })
  return organization_id
}

/** Signs in and answers the request that a browser sends from then on. */
async function signIn({ database }: TestDatabase, user_id: string, cookie?: string) {
  const set = await database.transaction(lookup, (tx) =>
    beginSession(tx, { headers: { cookie } }, { user_id, address: '127.0.0.1' }),
  )
  return { headers: { cookie: set.slice(0, set.indexOf(';')) }, set }
}

const execute = ({ database }: TestDatabase, statement: ReturnType<typeof sql>, organization_id?: string) =>
  database.transaction({ role: 'owner', ...(organization_id && { organization_id }) }, (tx) => tx.run(statement))

test('a session knows its user and every place where that user may act', async (t) => {
  const own = await useTestDatabase(t)
  const user_id = await addUser(own)
  const [second, first] = [await addMember(own, user_id, 'Zebra'), await addMember(own, user_id, 'Alder')]
  await addMember(own, await addUser(own), 'Foreign')
  const person_id = newId(Date.now())
  await execute(
    own,
    sql`insert into people (organization_id, id, first_name, last_name, locale, worker_type, status, access, user_id,
                            created_at, updated_at)
        values (${second}, ${person_id}, 'Nora', 'Pine', 'en', 'contractor', 'active', 'enabled', ${user_id},
                app_now(), app_now())`,
    second,
  )
  const session = await currentSession(own.database, await signIn(own, user_id))
  assert.equal(session?.user_id, user_id)
  assert.equal(session?.name, 'Nora Pine')
  const place = { is_sandbox: true }
  const member = { ...place, role: 'finance', lacks_second_factor: false }
  assert.deepEqual(session?.memberships, [
    { ...member, organization_id: first, organization_name: 'Alder' },
    { ...member, organization_id: second, organization_name: 'Zebra' },
  ])
  assert.deepEqual(session?.workers, [{ ...place, organization_id: second, organization_name: 'Zebra', person_id }])

  await execute(own, sql`update people set access = 'disabled' where id = ${person_id}`, second)
  // A closed access as a person ends the membership of that organization too.
  const later = await currentSession(own.database, await signIn(own, user_id))
  assert.deepEqual(
    [later?.memberships, later?.workers],
    [[{ ...member, organization_id: first, organization_name: 'Alder' }], []],
  )
  await execute(own, sql`delete from memberships where organization_id = ${first}`, first)
  const last = await currentSession(own.database, await signIn(own, user_id))
  assert.deepEqual([last?.memberships, last?.workers], [[], []])
})

test('the cookie is bound to the host, kept from scripts, and the database holds its digest only', async (t) => {
  const own = await useTestDatabase(t)
  const { set, headers } = await signIn(own, await addUser(own))
  assert.match(set, /^__Host-stint_session=[\w-]{43}; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/)
  const secret = headers.cookie.split('=')[1] ?? ''
  const row = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ text: string }>(sql`select s::text as text from sessions s`),
  )
  assert.equal(row?.text.includes(secret), false)
  assert.equal(row?.text.includes(Buffer.from(secret).toString('hex')), false)
})

const unusable: Record<string, (cookie: string) => string | undefined> = {
  absent: () => undefined,
  unknown: () => `__Host-stint_session=${randomBytes(32).toString('base64url')}`,
  'under another name': (cookie) => cookie.replace('__Host-', ''),
  'too short': (cookie) => cookie.slice(0, -1),
  'sent twice': (cookie) => `${cookie}; ${cookie}`,
  'in a header of 9 kB': (cookie) => `${cookie}; other=${'x'.repeat(9_000)}`,
}
for (const [name, made] of Object.entries(unusable)) {
  test(`a cookie that is ${name} is nobody's`, async (t) => {
    const own = await useTestDatabase(t)
    const { headers } = await signIn(own, await addUser(own))
    assert.notEqual(await currentSession(own.database, { headers: { cookie: `a=b; ${headers.cookie}` } }), null)
    assert.equal(await currentSession(own.database, { headers: { cookie: made(headers.cookie) } }), null)
  })
}

test('a session ends 8 hours after its last use and 7 days after its beginning', async (t) => {
  const own = await useTestDatabase(t)
  const user_id = await addUser(own)
  const [idle, used] = [await signIn(own, user_id), await signIn(own, user_id)]
  await own.clock.advance(7 * hour_ms)
  assert.ok(await currentSession(own.database, used))
  await own.clock.advance(1.5 * hour_ms)
  assert.equal(await currentSession(own.database, idle), null)
  for (let hours = 8.5; hours < 168; hours += 6) {
    assert.ok(await currentSession(own.database, used), `${hours} h`)
    await own.clock.advance(6 * hour_ms)
  }
  assert.equal(await currentSession(own.database, used), null)
})

for (const [name, own_headers] of [
  ['a page that asks by itself', { 'stint-unattended': '1' }],
  ['a list that is followed', { accept: 'text/event-stream' }],
] as const) {
  test(`${name} reads with a session and keeps none from going idle`, async (t) => {
    const own = await useTestDatabase(t)
    const { headers } = await signIn(own, await addUser(own))
    await own.clock.advance(7.5 * hour_ms)
    assert.ok(await currentSession(own.database, { headers: { ...headers, ...own_headers } }))
    await own.clock.advance(hour_ms)
    assert.equal(await currentSession(own.database, { headers }), null)
  })
}

test('a new sign-in ends the session the browser had, and sign-out ends the session at once', async (t) => {
  const own = await useTestDatabase(t)
  const user_id = await addUser(own)
  const first = await signIn(own, user_id)
  const second = await signIn(own, user_id, first.headers.cookie)
  assert.equal(await currentSession(own.database, first), null)
  assert.ok(await currentSession(own.database, second))
  await endSession(own.database, second)
  assert.equal(await currentSession(own.database, second), null)
})

test('a disabled user has no session', async (t) => {
  const own = await useTestDatabase(t)
  const user_id = await addUser(own)
  const request = await signIn(own, user_id)
  await execute(own, sql`update users set disabled_at = app_now() where id = ${user_id}`)
  assert.equal(await currentSession(own.database, request), null)
})

test('no operation can read or write sessions, links or failures', async (t) => {
  const own = await useTestDatabase(t)
  for (const table of ['sessions', 'set_up_links', 'sign_in_failures', 'totp_secrets', 'recovery_codes', 'passkeys']) {
    const reading = own.database.transaction({ role: 'app' }, (tx) =>
      tx.run({ strings: [`select * from ${table}`], values: [] }),
    )
    await assert.rejects(reading, /permission denied/, table)
  }
})
