import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { createSetUpLink } from '#identity/account.store.ts'
import { addUser, callConsole } from '#test/console-caller.ts'
import { noteSecret } from '#test/secrets.ts'
import { type TestService, useTestService } from '#test/service.ts'

const owner = {
  name: 'Nora Pine',
  email: 'nora@harbour.example',
  organization: { name: 'Harbour Pine', timezone: 'Europe/Berlin', default_currency: 'EUR' },
}
const password = noteSecret('seven quiet herons')

const makeLink = ({ database }: TestService, user_id: string | null = null) =>
  database.database.transaction({ role: 'lookup' }, (tx) => createSetUpLink(tx, user_id))

const show = (service: TestService, link: string) =>
  callConsole(service, 'GET', '/set-up', { headers: { 'stint-set-up-link': link } })

const setUp = (service: TestService, link: string, body: unknown = { password, owner }, cookie = '') =>
  callConsole(service, 'POST', '/set-up', { body, cookie, headers: { 'stint-set-up-link': link } })

/** As the role that reads accounts of all organizations, or as the operator in one of them. */
const rows = ({ database }: TestService, statement: ReturnType<typeof sql>, organization_id?: string) =>
  database.database.transaction(organization_id ? { role: 'owner', organization_id } : { role: 'lookup' }, (tx) =>
    tx.rows<Record<string, unknown>>(statement),
  )

test('the link of the first owner makes organization, owner and session, and is over', async (t) => {
  const service = await useTestService(t)
  const link = await makeLink(service)
  const { purpose, currencies } = (await show(service, link)).body
  assert.deepEqual([purpose, currencies.includes('EUR')], ['first_owner', true])
  assert.deepEqual((await callConsole(service, 'GET', '/session')).body, { session: null, is_new: true })

  const { status, cookie = '' } = await setUp(service, link)
  // The browser is known from now on: nobody who guesses elsewhere keeps it out.
  assert.match(cookie, /; __Host-stint_device_[\w-]{16}=/)
  assert.equal(status, 201)
  const { session } = (await callConsole(service, 'GET', '/session', { cookie })).body
  assert.equal(session.email, owner.email)
  assert.deepEqual(
    session.memberships.map(({ organization_name, role, is_sandbox }: Record<string, unknown>) => [
      organization_name,
      role,
      is_sandbox,
    ]),
    [['Harbour Pine', 'owner', false]],
  )
  const audited = await rows(
    service,
    sql`select action, actor ->> 'name' as name from audit_entries where actor ->> 'kind' = 'user' order by action`,
    session.memberships[0].organization_id,
  )
  assert.deepEqual(audited, [
    { action: 'members.create', name: 'Nora Pine' },
    { action: 'organizations.create', name: 'Nora Pine' },
  ])
  for (const again of [await show(service, link), await setUp(service, link)]) {
    assert.deepEqual([again.status, again.body.reason], [404, 'used'])
  }
  const signedIn = await callConsole(service, 'POST', '/session', { body: { email: owner.email, password } })
  assert.equal(signedIn.status, 201)
})

test('a sandbox is made beside the organization where it is wished for, with the same owner', async (t) => {
  const service = await useTestService(t)
  const body = { password, owner: { ...owner, with_sandbox: true } }
  const { status, cookie = '', ...answer } = await setUp(service, await makeLink(service), body)
  assert.equal(status, 201)
  const { session } = (await callConsole(service, 'GET', '/session', { cookie })).body
  assert.deepEqual(
    session.memberships.map(({ organization_id, organization_name, role, is_sandbox }: Record<string, unknown>) => [
      ...[organization_name, role, is_sandbox, organization_id === answer.body.sandbox_id],
    ]),
    [
      ['Harbour Pine', 'owner', false, false],
      ['Harbour Pine Sandbox', 'owner', true, true],
    ],
  )
})

test('20 parallel set-ups with one link make one owner and one organization', async (t) => {
  const service = await useTestService(t)
  const link = await makeLink(service)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      setUp(service, link, { password, owner: { ...owner, email: `nora${n}@harbour.example` } }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 404)])
  const [count] = await rows(
    service,
    sql`select (select count(*)::int from users) as users, (select count(*)::int from memberships) as memberships,
               (select count(*)::int from organizations where name = 'Harbour Pine' and id <> ${service.organization.id})
                 as organizations, (select count(*)::int from sessions) as sessions`,
  )
  assert.deepEqual(count, { users: 1, memberships: 1, organizations: 1, sessions: 1 })
})

test('two links for the first owner, both used at once, make one owner too', async (t) => {
  const service = await useTestService(t)
  const first = await makeLink(service)
  assert.deepEqual((await show(service, first)).status, 200)
  const second = await makeLink(service)
  assert.deepEqual((await show(service, first)).body.reason, 'unknown')
  assert.equal((await setUp(service, second)).status, 201)
})

test('while an account exists no link for the first owner opens', async (t) => {
  const service = await useTestService(t)
  const link = await makeLink(service)
  await addUser(service, { email: 'other@harbour.example', password: null })
  for (const answer of [await show(service, link), await setUp(service, link)]) {
    assert.deepEqual([answer.status, answer.body.reason], [404, 'taken'])
  }
})

test('the link of the first owner lives 30 minutes, that of a user a day', async (t) => {
  const service = await useTestService(t)
  const first = await makeLink(service)
  await service.clock.advance(30 * 60_000 - 1)
  assert.equal((await show(service, first)).status, 200)
  await service.clock.advance(1)
  assert.deepEqual((await show(service, first)).body.reason, 'expired')
  const link = await makeLink(service, await addUser(service, { email: owner.email, password: null }))
  await service.clock.advance(86_400_000 - 1)
  assert.equal((await show(service, link)).status, 200)
  await service.clock.advance(1)
  assert.deepEqual((await setUp(service, link, { password })).body.reason, 'expired')
})

test('the link of a user sets the password once, ends every session and signs in', async (t) => {
  const service = await useTestService(t)
  const user_id = await addUser(service, { email: owner.email, password: 'the one I forgot' })
  const before = await callConsole(service, 'POST', '/session', {
    body: { email: owner.email, password: 'the one I forgot' },
  })
  const link = await makeLink(service, user_id)
  assert.deepEqual((await show(service, link)).body, { purpose: 'password', email: owner.email, name: 'Nora Pine' })
  const { status, cookie } = await setUp(service, link, { password })
  assert.equal(status, 201)
  const known = async (one: string | undefined) =>
    (await callConsole(service, 'GET', '/session', one ? { cookie: one } : {})).body.session?.user_id
  assert.deepEqual([await known(before.cookie), await known(cookie)], [undefined, user_id])
  assert.deepEqual((await setUp(service, link, { password: 'another one, later' })).body.reason, 'used')
  const signIn = (one: string) =>
    callConsole(service, 'POST', '/session', { body: { email: owner.email, password: one } })
  assert.deepEqual([(await signIn('the one I forgot')).status, (await signIn(password)).status], [403, 201])
})

test('a link of a disabled user sets nothing', async (t) => {
  const service = await useTestService(t)
  const user_id = await addUser(service, { email: owner.email, password: null })
  const link = await makeLink(service, user_id)
  await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`update users set disabled_at = app_now()`),
  )
  assert.equal((await setUp(service, link, { password })).status, 404)
  assert.deepEqual(await rows(service, sql`select password_hash from users`), [{ password_hash: null }])
})

const bad: Record<string, { body: unknown; pointer: string }> = {
  'a short password': { body: { password: 'short', owner }, pointer: '/password' },
  'a common password': { body: { password: 'Password1234', owner }, pointer: '/password' },
  'no owner': { body: { password }, pointer: '/owner' },
  'no e-mail address': { body: { password, owner: { ...owner, email: 'nora' } }, pointer: '/owner/email' },
  'an unknown zone': {
    body: { password, owner: { ...owner, organization: { ...owner.organization, timezone: 'Mars/Base' } } },
    pointer: '/owner/organization/timezone',
  },
  'a name of spaces': { body: { password, owner: { ...owner, name: '   ' } }, pointer: '/owner/name' },
}
for (const [name, { body, pointer }] of Object.entries(bad)) {
  test(`${name} is named at its field and leaves the link as it was`, async (t) => {
    const service = await useTestService(t)
    const link = await makeLink(service)
    const answer = await setUp(service, link, body)
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [400, pointer])
    assert.equal((await show(service, link)).status, 200)
  })
}

test('without a link, or with one of another form, there is nothing', async (t) => {
  const service = await useTestService(t)
  assert.equal((await callConsole(service, 'GET', '/set-up')).status, 404)
  for (const link of ['x', 'x'.repeat(43), `${'x'.repeat(42)}'`]) {
    const answer = await show(service, link)
    assert.deepEqual([answer.status, answer.body.reason], [404, 'unknown'])
  }
})

test('the database holds the digest of a link, and no log line holds its secret', async (t) => {
  const service = await useTestService(t)
  const link = await makeLink(service)
  await setUp(service, link)
  const [row] = await rows(service, sql`select l::text as text from set_up_links l`)
  assert.equal(String(row?.text).includes(link), false)
  assert.equal(service.logged.join('').includes(link), false)
  assert.equal(service.logged.join('').includes(password), false)
})
