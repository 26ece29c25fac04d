import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { addUser, callConsole, pageHeaders } from '#test/console-caller.ts'
import { clock_start } from '#test/contract-states.ts'
import { type Body, createContract } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { inOrganization, type TestService, useTestService } from '#test/service.ts'

const password = noteSecret('seven quiet herons')
const day_ms = 86_400_000
let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

interface Invited extends Body {
  link: string
}

/** A pending contract with an open invitation; `link` is the secret of its address. */
async function invited(at = service, fields: object = {}, contract: Record<string, unknown> = {}): Promise<Invited> {
  const made = await createContract(at, contract)
  return { ...made, link: await linkTo(made.id, at, fields) }
}

async function linkTo(contract_id: string, at = service, fields: object = {}): Promise<string> {
  const sent = await at.call('POST', `/contracts/${contract_id}/invite`, { body: fields })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { body } = await at.call('GET', `/contracts/${contract_id}/invitation-link`)
  return noteSecret(new URL(body.url).hash.slice(1))
}

const show = (link: string, at = service) =>
  callConsole(at, 'GET', '/invitations', { headers: { 'stint-invitation': link } })

const accept = (link: string, { body = { password }, cookie = '', at = service }: Body = {}) =>
  callConsole(at, 'POST', '/invitations', { body, cookie, headers: { 'stint-invitation': link } })

const signIn = async (email: string, at = service) =>
  (await callConsole(at, 'POST', '/session', { body: { email, password } })).cookie ?? ''

const sessionOf = async (cookie = '', at = service) =>
  (await callConsole(at, 'GET', '/session', { cookie })).body.session

/** Calls the API as a page of the worker does. */
async function asWorker(cookie: string, method: 'GET' | 'POST', path: string, { person_id, body, at = service }: Body) {
  const answer = await at.app.inject({
    method,
    url: `/console/rest/v2${path}`,
    headers: {
      ...pageHeaders,
      ...{ cookie, 'stint-organization': at.organization.id, 'stint-person': person_id },
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}

/** The refusal of a link, as its holder is shown it and as it is when used all the same. */
async function assertOver(link: string, reason: string, at = service): Promise<void> {
  for (const answer of [await show(link, at), await accept(link, { at })]) {
    assert.deepEqual([answer.status, answer.body.code, answer.body.reason], [404, 'invitation_invalid', reason])
    assert.equal(answer.cookie, undefined)
  }
}

test('a link tells what it is for, and makes a login that reads and signs what was read', async () => {
  const { id, link, worker_id, worker_email } = await invited(service, { message: 'Welcome!' })
  const shown = await show(link)
  assert.deepEqual(shown.body, {
    ...{ kind: 'worker', organization_name: 'Harbour Pine', is_sandbox: false, expires_at: '2026-06-29T09:00:00.000Z' },
    ...{ name: 'Jonas Weber', contract_title: 'Platform engineering', message: 'Welcome!' },
    ...{ email: worker_email, has_login: false },
  })
  await service.takeEvents()
  const { status, body, cookie = '' } = await accept(link)
  assert.deepEqual([status, body], [201, { to: `/console/worker/contracts/${id}` }])
  const session = await sessionOf(cookie)
  assert.deepEqual([session.email, session.memberships], [worker_email, []])
  assert.deepEqual(
    session.workers.map((one: Body) => [one.organization_id, one.person_id]),
    [[service.organization.id, worker_id]],
  )
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type, resource: [entry] }) => [event_type, entry?.person_id, entry?.access]),
    [['user.provisioned', worker_id, 'enabled']],
  )
  const signature = { person_id: worker_id, body: { signer_name: 'Jonas Weber', terms_version: 1 } }
  const signed = await asWorker(cookie, 'POST', `/worker/contracts/${id}/sign`, signature)
  assert.deepEqual([signed.status, signed.body.signatures.worker_name], [200, 'Jonas Weber'])
  const audited = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`
      select action, actor ->> 'kind' as kind, surface from audit_entries
      where actor ->> 'id' = ${worker_id} order by occurred_at, id`),
  )
  assert.deepEqual(audited, [
    { action: 'invitations.accept', kind: 'worker', surface: 'console' },
    { action: 'worker.sign_contract', kind: 'worker', surface: 'console' },
  ])
})

test('a link works once: a second use, by whomever, is told so and gets nothing', async () => {
  const { id, link, worker_id } = await invited()
  const { cookie } = await accept(link)
  await assertOver(link, 'used')
  assert.equal((await accept(link, { cookie, body: {} })).body.reason, 'used')
  assert.equal((await service.call('GET', `/contracts/${id}/invitation-link`)).body.code, 'no_open_invitation')
  const { invitation } = (await service.call('GET', `/contracts/${id}`)).body
  assert.notEqual(invitation, null, 'it goes on asking for the signature')
  assert.equal((await service.call('GET', `/people/${worker_id}`)).body.access, 'enabled')
})

test('of ten uses at once one makes the login', async () => {
  const { link, worker_email } = await invited()
  const answers = await Promise.all(Array.from({ length: 10 }, () => accept(link)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 404)])
  assert.equal(answers.filter(({ cookie }) => cookie !== undefined).length, 1)
  const [count] = await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.rows<{ users: number }>(sql`select count(*)::int as users from users where email = ${worker_email}`),
  )
  assert.equal(count?.users, 1)
})

test('a link that is over says how it ended', async (t) => {
  const at = await useTestService(t)
  await at.clock.set(clock_start)
  const [revoked, replaced, cancelled, expired, noted] = [
    await invited(at),
    await invited(at),
    await invited(at),
    await invited(at),
    await invited(at),
  ]
  await at.call('POST', `/contracts/${revoked.id}/revoke-invitation`)
  const newer = await linkTo(replaced.id, at)
  await at.call('POST', `/contracts/${cancelled.id}/cancel`, { body: {} })
  await assertOver(revoked.link, 'revoked', at)
  await assertOver(replaced.link, 'replaced', at)
  await assertOver(cancelled.link, 'over', at)
  assert.equal((await show(newer, at)).status, 200)
  await at.clock.advance(14 * day_ms - 1)
  assert.equal((await show(expired.link, at)).status, 200)
  await at.clock.advance(1)
  await assertOver(expired.link, 'expired', at)
  await at.timers.runDue()
  await assertOver(expired.link, 'expired', at)
  await linkTo(noted.id, at)
  await assertOver(noted.link, 'expired', at)
})

test('an unknown, a malformed and a missing secret open nothing', async () => {
  for (const link of ['A'.repeat(43), 'short', `${'A'.repeat(42)}%`]) await assertOver(link, 'unknown')
  assert.equal((await callConsole(service, 'GET', '/invitations')).status, 404)
  const { link } = await invited()
  const foreign = await callConsole(service, 'POST', '/invitations', {
    body: { password },
    headers: { 'stint-invitation': link, 'sec-fetch-site': 'cross-site' },
  })
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'foreign_origin'])
})

test('whoever has a login by the address signs in instead, and nobody else takes it up', async () => {
  const { link, worker_email, worker_id } = await invited()
  const user_id = await addUser(service, { email: worker_email.toUpperCase(), password })
  await addUser(service, { email: 'mallory@harbour.example', password })
  assert.equal((await show(link)).body.has_login, true)
  assert.equal((await accept(link)).status, 401, 'a password makes no second login')
  const other = await signIn('mallory@harbour.example')
  const refused = await accept(link, { cookie: other, body: {} })
  assert.deepEqual([refused.status, refused.body.code], [403, 'invitation_for_another'])
  assert.equal((await accept(link, { cookie: other })).status, 403, 'nor with a password')
  assert.deepEqual((await sessionOf(other)).workers, [])
  const cookie = await signIn(worker_email)
  const accepted = await accept(link, { cookie, body: {} })
  assert.deepEqual([accepted.status, accepted.cookie], [201, undefined])
  const session = await sessionOf(cookie)
  assert.deepEqual([session.user_id, session.workers[0].person_id], [user_id, worker_id])
})

test('a second invitation of a person is for the login that the person has, wherever it was sent', async () => {
  const first = await invited()
  const { worker_id } = first
  const { cookie } = await accept(first.link)
  const second = await invited(service, { email: 'elsewhere@harbour.example' }, { worker_id })
  const { email, has_login } = (await show(second.link)).body
  assert.deepEqual([email, has_login], [first.worker_email, true])
  assert.equal((await accept(second.link)).status, 401)
  assert.equal((await accept(second.link, { cookie, body: {} })).status, 201)
})

test('two links of one person at two addresses, used at once, link one login', async () => {
  const first = await invited()
  const { worker_id } = first
  const second = await invited(service, { email: `second-${first.worker_email}` }, { worker_id })
  const answers = await Promise.all([accept(first.link), accept(second.link)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
})

test('one login is one person of an organization', async () => {
  const first = await invited()
  const { cookie } = await accept(first.link)
  const second = await invited(service, { email: first.worker_email })
  const refused = await accept(second.link, { cookie, body: {} })
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state'])
  assert.equal((await show(second.link)).status, 200, 'its own person can still use it')
})

test('one login works for several organizations, as another person in each', async () => {
  const here = await invited()
  const { cookie = '' } = await accept(here.link)
  const elsewhere = inOrganization(service, await service.createOrganization({ name: 'Another Pine' }))
  const worker = { first_name: 'Jonas', last_name: 'Weber', email: here.worker_email, country: 'DE' }
  const there = await invited(elsewhere, {}, { worker })
  assert.notEqual(there.worker_id, here.worker_id)
  assert.equal((await accept(there.link, { cookie, body: {} })).status, 201)
  const { workers } = await sessionOf(cookie)
  assert.deepEqual(workers.map(({ person_id }: Body) => person_id).sort(), [here.worker_id, there.worker_id].sort())
  // A person of one organization is nobody in the other.
  const crossed = { person_id: there.worker_id, at: service }
  assert.equal((await asWorker(cookie, 'GET', '/worker/contracts', crossed)).status, 403)
  const own = { person_id: there.worker_id, at: elsewhere }
  assert.equal((await asWorker(cookie, 'GET', `/worker/contracts/${here.id}`, own)).status, 404)
  assert.equal((await asWorker(cookie, 'GET', `/worker/contracts/${there.id}`, own)).status, 200)
})

test('a bad password spends nothing', async () => {
  const { link } = await invited()
  for (const body of [{ password: 'short' }, { password: 'Password1234' }, {}]) {
    const { status, body: refusal } = await accept(link, { body })
    assert.deepEqual([status, refusal.errors[0].pointer], [400, '/password'])
  }
  assert.equal((await accept(link)).status, 201)
})

test('access that was taken away is not given back by a link', async () => {
  const { link, worker_id } = await invited()
  const { id: organization_id } = service.organization
  await service.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`update people set access = 'disabled' where id = ${worker_id}`),
  )
  await assertOver(link, 'blocked')
})

test('in a sandbox an invitation lives by the clock of the sandbox', async (t) => {
  const outside = await useTestService(t)
  const at = inOrganization(outside, await outside.createOrganization({ is_sandbox: true }))
  const { link } = await invited(at)
  const to = new Date(outside.clock.now() + 14 * day_ms).toISOString()
  const sent = await at.call('POST', '/sandbox/clock/advance', { body: { to } })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await assertOver(link, 'expired', at)
})

test('a page acts as the worker it names, on that worker’s rows only, and as no other', async () => {
  const [own, other] = [await invited(), await invited()]
  const { cookie = '' } = await accept(own.link)
  const { cookie: theirs = '' } = await accept(other.link)
  const mine = (path: string, person_id = own.worker_id) => asWorker(cookie, 'GET', path, { person_id })
  assert.equal((await mine(`/worker/contracts/${own.id}`)).body.compensation.amount, '4200.00')
  assert.equal((await mine(`/worker/contracts/${other.id}`)).status, 404)
  assert.deepEqual((await mine('/worker/contracts')).body.total_count, 1)
  for (const path of ['/contracts', `/contracts/${own.id}`, '/people', '/api-tokens', '/people/me']) {
    const { status, body } = await mine(path)
    assert.deepEqual([status, body.code], [403, 'insufficient_scope'], path)
  }
  for (const person_id of [other.worker_id, own.id, '']) {
    assert.equal((await mine('/worker/contracts', person_id)).status, 403)
  }
  assert.equal((await asWorker(theirs, 'GET', '/worker/contracts', { person_id: own.worker_id })).status, 403)
  assert.equal((await asWorker('', 'GET', '/worker/contracts', { person_id: own.worker_id })).status, 401)
})

test('an owner who is a worker as well has no more rights as one', async () => {
  const { link, worker_email, worker_id } = await invited()
  const { cookie = '' } = await accept(link)
  await service.database.database.transaction({ role: 'owner', organization_id: service.organization.id }, (tx) =>
    tx.run(sql`
        insert into memberships (organization_id, user_id, role, created_at)
        select ${service.organization.id}, id, 'owner', app_now() from users where email = ${worker_email}`),
  )
  const answer = await asWorker(cookie, 'GET', '/contracts', { person_id: worker_id })
  assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope'])
})

test('where the pay goes is changed by a fresh proof only', async (t) => {
  const at = await useTestService(t)
  const { link, worker_id: person_id } = await invited(at)
  const { cookie = '' } = await accept(link, { at })
  const body = { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }
  const set = () =>
    at.app.inject({
      method: 'PUT',
      url: '/console/rest/v2/worker/bank-account',
      headers: { ...pageHeaders, cookie, 'stint-organization': at.organization.id, 'stint-person': person_id },
      payload: body,
    })
  assert.equal((await set()).statusCode, 200)
  await at.clock.advance(600_001)
  const late = await set()
  assert.deepEqual([late.statusCode, late.json().code], [403, 'reauthentication_required'])
})
