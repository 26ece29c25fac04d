import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { createSetUpLink } from '#identity/account.store.ts'
import { resetAdministrator } from '#operator/administration.ts'
import { type Person, signedInPerson } from '#test/account.ts'
import { createAuthenticator } from '#test/authenticator.ts'
import { callConsole } from '#test/console-caller.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { noteSecret } from '#test/secrets.ts'
import { type TestService, useTestService } from '#test/service.ts'

const newer = noteSecret('eleven loud gulls')

async function started(t: Parameters<typeof useTestService>[0]) {
  const service = await useTestService(t)
  return { service, person: await signedInPerson(service) }
}

const account = async (person: Person) => (await person.call('GET', '/account')).body

const audited = ({ database, organization }: TestService, action: string) =>
  database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ actor_id: string; address: string; surface: string; request_id: string; credential_id: string }>(sql`
      select actor ->> 'id' as actor_id, address, surface, request_id, credential_id from audit_entries
      where organization_id = ${organization.id} and action = ${action}`),
  )

/** Every change of a way in, as it is asked for; the last is what it has to be called in the audit log. */
const changes: [method: 'POST' | 'DELETE', path: string, body: unknown, action: string | null][] = [
  ['POST', '/account/password', { password: newer }, 'users.set_password'],
  ['POST', '/account/totp/offer', undefined, null],
  ['POST', '/account/totp', { offer: 'AAAA', code: '000000' }, null],
  ['DELETE', '/account/totp', undefined, 'users.remove_totp'],
  ['POST', '/account/recovery-codes', undefined, 'users.make_recovery_codes'],
  ['POST', '/account/passkeys/options', undefined, null],
  [
    'POST',
    '/account/passkeys',
    { name: 'Key', passkey: { id: 'AAAA', client_data: 'AAAA', attestation: 'AAAA', transports: [] } },
    null,
  ],
  ['DELETE', '/account/passkeys/019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3', undefined, null],
]

test('no way in changes without a proof of the last ten minutes, and none without a session', async (t) => {
  const { service, person } = await started(t)
  await person.setUpTotp()
  await service.clock.advance(600_001)
  for (const [method, path, body] of changes) {
    const answer = await person.call(method, path, body)
    assert.deepEqual([answer.status, answer.body.code], [403, 'reauthentication_required'], path)
    const nobody = await callConsole(service, method, path, { body })
    assert.equal(nobody.status, 401, path)
  }
  assert.equal((await callConsole(service, 'GET', '/account')).status, 401)
})

test('a wrong password proves nothing and counts; the right one and a passkey do for ten minutes', async (t) => {
  const { service, person } = await started(t)
  const { authenticator } = await person.addPasskey()
  const offer = async () => (await person.call('POST', '/account/totp/offer')).status
  await service.clock.advance(600_001)
  assert.equal((await person.call('POST', '/proof', { password: 'seven quiet heronz' })).status, 403)
  assert.equal(await offer(), 403)
  assert.equal((await person.call('POST', '/proof', { password: 'seven quiet herons' })).status, 204)
  assert.equal(await offer(), 200)
  await service.clock.advance(600_001)
  assert.equal(await offer(), 403)
  const { options } = (await person.call('POST', '/proof/options')).body
  assert.deepEqual(
    options.allowCredentials.map(({ id }: { id: string }) => id),
    [authenticator.id],
  )
  const passkey = authenticator.sign(options)
  const stranger = await signedInPerson(service)
  assert.equal((await stranger.call('POST', '/proof/passkey', { passkey })).status, 403)
  assert.equal((await person.call('POST', '/proof/passkey', { passkey })).status, 204)
  assert.equal(await offer(), 200)
  assert.equal((await audited(service, 'users.prove')).length, 1)
  assert.equal((await audited(service, 'users.prove_by_passkey')).length, 1)
  const guesses: number[] = []
  for (let n = 0; n < 6; n += 1) guesses.push((await person.call('POST', '/proof', { password: 'wrong' })).status)
  assert.deepEqual(guesses.at(-1), 429)
})

test('a passkey of somebody else proves nothing', async (t) => {
  const { service, person } = await started(t)
  await person.addPasskey()
  const thief = await signedInPerson(service)
  const { authenticator } = await thief.addPasskey()
  const { options } = (await person.call('POST', '/proof/options')).body
  const passkey = authenticator.sign(options)
  assert.equal((await person.call('POST', '/proof/passkey', { passkey })).status, 403)
})

/** One more session of a user, like the latest one. */
async function addSession({ database }: TestService, user_id: string): Promise<void> {
  await database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into sessions select (jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'digest', '\\x' || encode(sha256(s.digest || 'other'), 'hex')))).*
      from sessions s where user_id = ${user_id} limit 1`),
  )
}

test('each change ends the other sessions, gives this one a new secret, and is told in the audit log', async (t) => {
  const { service, person } = await started(t)
  const [codes, { id }] = [await person.setUpTotp(), await person.addPasskey()]
  assert.equal(codes.length, 10)
  const work: [change: () => Promise<unknown>, action: string][] = [
    [() => person.call('POST', '/account/password', { password: newer }), 'users.set_password'],
    [() => person.call('POST', '/account/recovery-codes'), 'users.make_recovery_codes'],
    [() => person.call('DELETE', `/account/passkeys/${id}`), 'users.remove_passkey'],
    [() => person.call('DELETE', '/account/totp'), 'users.remove_totp'],
    [() => person.setUpTotp(), 'users.set_up_totp'],
    [() => person.addPasskey(), 'users.add_passkey'],
  ]
  for (const [change, action] of work) {
    const before = person.elsewhere()
    for (const [name, value] of person.cookies) before.cookies.set(name, value)
    const lines = (await audited(service, action)).length
    await addSession(service, person.user_id)
    await change()
    assert.equal((await account(person)).sessions.length, 1, action)
    const told = await audited(service, action)
    assert.equal(told.length, lines + 1, action)
    const { request_id, credential_id, ...line } = told.at(-1) ?? {}
    assert.deepEqual(line, { actor_id: person.user_id, address: '127.0.0.1', surface: 'console' })
    assert.ok(request_id && credential_id, action)
    assert.deepEqual([await before.isSignedIn(), await person.isSignedIn()], [false, true], action)
  }
})

test('sessions are listed; one can be ended, or all others, and nobody else’s', async (t) => {
  const { service, person } = await started(t)
  const [phone, stranger] = [person.elsewhere(), await signedInPerson(service)]
  await phone.signIn()
  await service.clock.advance(60_000)
  const shown = (await account(person)).sessions
  assert.equal(shown.length, 2)
  assert.deepEqual(Object.keys(shown[0]).sort(), [
    ...['address', 'created_at', 'expires_at', 'id', 'is_current', 'last_seen_at', 'user_agent'],
  ])
  const other = shown.find(({ is_current }: { is_current: boolean }) => !is_current)
  const [foreign] = (await account(stranger)).sessions
  assert.equal((await person.call('DELETE', `/account/sessions/${foreign.id}`)).status, 404)
  assert.equal((await person.call('DELETE', '/account/sessions/x')).status, 404)
  // Taking access away never asks for a proof.
  await service.clock.advance(700_000)
  assert.equal((await person.call('DELETE', `/account/sessions/${other.id}`)).status, 204)
  assert.deepEqual([await phone.isSignedIn(), await stranger.isSignedIn()], [false, true])
  await phone.signIn()
  assert.equal((await person.call('DELETE', '/account/sessions')).status, 204)
  assert.deepEqual(
    [await phone.isSignedIn(), await person.isSignedIn(), await stranger.isSignedIn()],
    [false, true, true],
  )
  assert.equal((await audited(service, 'users.end_session')).length, 1)
  assert.equal((await audited(service, 'users.end_other_sessions')).length, 1)
})

test('a session that is being ended changes nothing any more', async (t) => {
  const { service, person } = await started(t)
  const thief = person.elsewhere()
  await thief.signIn()
  const { database } = service.database
  const ended = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const ending = database.transaction({ role: 'lookup' }, async (tx) => {
    await tx.run(sql`delete from sessions where user_id = ${person.user_id}`)
    held.resolve()
    await ended.promise
  })
  await held.promise
  const change = thief.call('POST', '/account/password', { password: newer })
  await isWaitingForLock(service)
  ended.resolve()
  await ending
  assert.equal((await change).status, 401)
  assert.equal((await person.signIn()).status, 201)
})

test('an app is set up with its code only, within ten minutes, in the session that was shown its secret', async (t) => {
  const { service, person } = await started(t)
  const { offer, secret, uri } = (await person.call('POST', '/account/totp/offer')).body
  noteSecret(secret)
  assert.match(uri, /^otpauth:\/\/totp\/Stint:person-.*secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/)
  const code = person.code(0, secret)
  const wrong = await person.call('POST', '/account/totp', { offer, code: code === '000000' ? '000001' : '000000' })
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/code'])
  const thief = await signedInPerson(service)
  assert.equal((await thief.call('POST', '/account/totp', { offer, code })).status, 400)
  assert.equal((await account(thief)).totp_since, null)
  assert.equal((await person.call('POST', '/account/totp', { offer, code })).status, 201)
  // Its code was seen at the set-up and counts no more.
  const { ticket } = (await person.elsewhere().signIn()).body.second_factor
  assert.equal((await person.call('POST', '/session/code', { ticket, code })).status, 403)
  const late = (await person.call('POST', '/account/totp/offer')).body
  await service.clock.advance(599_000)
  assert.equal((await person.call('POST', '/proof', { password: 'seven quiet herons' })).status, 204)
  await service.clock.advance(1_000)
  const over = await person.call('POST', '/account/totp', { offer: late.offer, code: person.code(0, late.secret) })
  assert.equal(over.status, 400)
})

test('recovery codes go with the last factor, and new ones end those before', async (t) => {
  const { service, person } = await started(t)
  const none = await person.call('POST', '/account/recovery-codes')
  assert.deepEqual([none.status, none.body.code], [409, 'invalid_state'])
  const [old = ''] = await person.setUpTotp()
  const { id } = await person.addPasskey('Key in the drawer')
  const [made = ''] = (await person.call('POST', '/account/recovery-codes')).body.recovery_codes.map(noteSecret)
  const { ticket } = (await person.elsewhere().signIn()).body.second_factor
  const statuses = [old, made].map((code) => person.elsewhere().call('POST', '/session/code', { ticket, code }))
  assert.deepEqual(
    (await Promise.all(statuses)).map(({ status }) => status),
    [403, 201],
  )
  await person.call('DELETE', '/account/totp')
  assert.equal((await account(person)).recovery_codes_left, 9)
  assert.equal((await person.call('DELETE', `/account/passkeys/${id}`)).status, 204)
  assert.equal((await account(person)).recovery_codes_left, null)
  assert.equal((await person.elsewhere().signIn()).status, 201)
  const left = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select user_id from recovery_codes`),
  )
  assert.deepEqual(left, [])
})

const unfit: Record<string, Parameters<ReturnType<typeof createAuthenticator>['create']>[1]> = {
  'of another origin': { origin: 'https://evil.example' },
  'for another host': { host: 'evil.example' },
  'without PIN or finger': { unverified: true },
}
test('a passkey made elsewhere, or for nobody in particular, is not kept; nor is one twice', async (t) => {
  const { person } = await started(t)
  const options = async () => (await person.call('POST', '/account/passkeys/options')).body.options
  const keep = async (passkey: unknown) =>
    (await person.call('POST', '/account/passkeys', { name: 'Key', passkey })).status
  for (const [name, deviation] of Object.entries(unfit)) {
    const passkey = createAuthenticator('https://stint.test').create(await options(), deviation)
    assert.equal(await keep(passkey), 403, name)
  }
  const authenticator = createAuthenticator('https://stint.test')
  const first = await options()
  assert.equal(await keep(authenticator.create(first)), 201)
  assert.equal(await keep(createAuthenticator('https://stint.test').create(first)), 403, 'the same challenge')
  assert.equal(await keep(authenticator.create(await options())), 403, 'the same passkey')
  assert.equal((await account(person)).passkeys.length, 1)
})

test('a link for a new password asks for the second factor still; one of the operator takes it off where asked to', async (t) => {
  const { service, person } = await started(t)
  await person.setUpTotp()
  await service.clock.advance(60_000)
  const { database } = service.database
  const choose = async (link: string) =>
    callConsole(service, 'POST', '/set-up', { body: { password: newer }, headers: { 'stint-set-up-link': link } })
  const plain = await choose((await resetAdministrator(database, person.email)).link)
  assert.deepEqual([plain.status, plain.cookie], [200, undefined])
  assert.equal(await person.isSignedIn(), false)
  const { ticket } = plain.body.second_factor
  assert.equal((await person.call('POST', '/session/code', { ticket, code: person.code() })).status, 201)
  const whole = await choose((await resetAdministrator(database, person.email, { resets_factors: true })).link)
  assert.equal(whole.status, 201)
  assert.equal((await person.signIn(newer)).status, 201)
  assert.equal((await audited(service, 'users.reset_with_factors')).length, 1)
  assert.equal((await audited(service, 'users.remove_factors')).length, 1)
})

test('a new password ends the links for one that nobody used', async (t) => {
  const { service, person } = await started(t)
  const link = await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    createSetUpLink(tx, person.user_id),
  )
  const common = await person.call('POST', '/account/password', { password: 'Password1234' })
  assert.deepEqual([common.status, common.body.errors[0].pointer], [400, '/password'])
  assert.equal((await person.call('POST', '/account/password', { password: newer })).status, 204)
  const shown = await callConsole(service, 'GET', '/set-up', { headers: { 'stint-set-up-link': link } })
  assert.deepEqual([shown.status, shown.body.reason], [404, 'unknown'])
  assert.deepEqual(
    [(await person.elsewhere().signIn()).status, (await person.elsewhere().signIn(newer)).status],
    [403, 201],
  )
})
