import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { newPerson, type Person, signedInPerson } from '#test/account.ts'
import { noteSecret } from '#test/secrets.ts'
import { type TestService, useTestService } from '#test/service.ts'

/** A signed-in person with an authenticator app; the step of its set-up is past. */
async function withTotp(t: Parameters<typeof useTestService>[0]) {
  const service = await useTestService(t)
  const person = await signedInPerson(service)
  const recovery_codes = await person.setUpTotp()
  await service.clock.advance(60_000)
  return { service, person, recovery_codes }
}

async function ticketOf(person: Person): Promise<string> {
  const { status, body, cookie } = await person.signIn()
  assert.deepEqual([status, cookie], [200, undefined], 'the password alone opens nothing')
  return body.second_factor.ticket
}

const codeAs = async (person: Person, code: string, ticket?: string, address?: string) =>
  person.call('POST', '/session/code', { ticket: ticket ?? (await ticketOf(person)), code }, address)

const actions = (service: TestService) =>
  service.database.database.transaction({ role: 'owner' }, async (tx) => {
    const rows = await tx.rows<{ action: string }>(sql`
      select action from audit_entries where organization_id = ${service.organization.id} order by occurred_at, id`)
    return rows.map(({ action }) => action)
  })

test('password and code sign in together; neither alone does', async (t) => {
  const { service, person } = await withTotp(t)
  const browser = person.elsewhere()
  const first = await browser.signIn()
  assert.deepEqual(first.body.second_factor.methods, ['totp', 'recovery_code'])
  assert.equal(await browser.isSignedIn(), false)
  const done = await codeAs(browser, ` ${browser.code().slice(0, 3)} ${browser.code().slice(3)}`)
  assert.deepEqual([done.status, done.body.email], [201, person.email])
  assert.match(done.cookie ?? '', /__Host-stint_session=.+__Host-stint_device_/)
  const { session } = (await browser.call('GET', '/session')).body
  assert.equal(session.second_factor, true)
  assert.ok((await actions(service)).includes('users.sign_in_by_totp'))
})

test('a step of the app counts once, in whichever browser and however many at once', async (t) => {
  const { service, person } = await withTotp(t)
  const code = person.code()
  const tickets = await Promise.all(Array.from({ length: 4 }, () => ticketOf(person.elsewhere())))
  const answers = await Promise.all(tickets.map((ticket) => codeAs(person.elsewhere(), code, ticket)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403])
  const again = await codeAs(person.elsewhere(), code)
  assert.deepEqual([again.status, again.body.code], [403, 'code_refused'])
  // The step before one that counted is over too: whoever reads over a shoulder has nothing.
  await service.clock.advance(30_000)
  assert.equal((await codeAs(person.elsewhere(), person.code(1))).status, 201)
  assert.equal((await codeAs(person, person.code(0))).status, 403)
})

test('codes of the steps before and after hold, those further away do not', async (t) => {
  const { service, person } = await withTotp(t)
  assert.equal((await codeAs(person, person.code(-2))).status, 403)
  assert.equal((await codeAs(person, person.code(2))).status, 403)
  assert.equal((await codeAs(person, person.code(-1))).status, 201)
  await service.clock.advance(90_000)
  assert.equal((await codeAs(person, person.code(1))).status, 201)
})

test('a recovery code signs in once, however it is typed, and no other account’s does', async (t) => {
  const { service, person, recovery_codes } = await withTotp(t)
  const [first = '', second = ''] = recovery_codes
  assert.equal(recovery_codes.length, 10)
  assert.equal(new Set(recovery_codes).size, 10)
  const other = await signedInPerson(service)
  const [foreign = ''] = await other.setUpTotp()
  assert.equal((await codeAs(person.elsewhere(), foreign)).status, 403)
  const ticket = await ticketOf(person.elsewhere())
  const answers = await Promise.all([1, 2, 3].map(() => codeAs(person.elsewhere(), ` ${first.toUpperCase()}`, ticket)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403])
  assert.equal((await codeAs(person.elsewhere(), first)).status, 403)
  assert.equal((await codeAs(person, second.replace('-', ' '))).status, 201)
  assert.equal((await person.call('GET', '/account')).body.recovery_codes_left, 8)
  assert.ok((await actions(service)).includes('users.sign_in_by_recovery_code'))
})

test('recovery codes rest as digests, the secret of the app sealed, and neither is logged', async (t) => {
  const { service, person, recovery_codes } = await withTotp(t)
  const text = await service.database.database.transaction({ role: 'owner' }, async (tx) =>
    JSON.stringify(await tx.rows(sql`select t::text, c::text as code from totp_secrets t, recovery_codes c`)),
  )
  for (const secret of [person.secret, ...recovery_codes, ...recovery_codes.map((one) => one.replace('-', ''))]) {
    assert.equal(text.includes(secret), false)
    assert.equal(text.includes(Buffer.from(secret).toString('hex')), false)
    assert.equal(service.logged.join('').includes(secret), false)
  }
})

test('wrong codes wait longer each time over all networks, are told in the audit log, and a known browser goes on', async (t) => {
  const { service, person } = await withTotp(t)
  const ticket = await ticketOf(person.elsewhere())
  const guess = (n: number) => codeAs(person.elsewhere(), '000000', ticket, `198.51.100.${n}`)
  for (let n = 0; n < 5; n += 1) assert.equal((await guess(n)).status, 403)
  const waits: number[] = []
  for (let n = 5; n < 12; n += 1) {
    const refused = await guess(n)
    assert.equal(refused.status, 429)
    waits.push(Number(refused.headers['retry-after']))
    await service.clock.advance(Number(refused.headers['retry-after']) * 1_000)
    assert.equal((await guess(n)).status, 403)
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64])
  assert.equal((await actions(service)).filter((action) => action === 'users.refuse_code').length, 12)
  assert.equal((await codeAs(person.elsewhere(), person.code(), undefined, '203.0.113.9')).status, 429)
  assert.equal((await codeAs(person, person.code())).status, 201)
})

test('a ticket holds ten minutes, for its account, until the password is another one', async (t) => {
  const { service, person } = await withTotp(t)
  const ticket = await ticketOf(person.elsewhere())
  for (const broken of ['x', ticket.slice(0, -2), `A${ticket.slice(1)}`]) {
    assert.deepEqual((await codeAs(person.elsewhere(), person.code(), broken)).body.code, 'sign_in_expired')
  }
  const set = await person.call('POST', '/account/password', { password: noteSecret('eleven loud gulls') })
  assert.equal(set.status, 204, JSON.stringify(set.body))
  assert.deepEqual((await codeAs(person.elsewhere(), person.code(), ticket)).body.code, 'sign_in_expired')
  const newer = (await person.elsewhere().signIn('eleven loud gulls')).body.second_factor.ticket
  await service.clock.advance(600_000)
  assert.deepEqual((await codeAs(person.elsewhere(), person.code(), newer)).body.code, 'sign_in_expired')
})

test('a disabled account is opened by no code and by no passkey', async (t) => {
  const { service, person } = await withTotp(t)
  const { authenticator } = await person.addPasskey()
  const ticket = await ticketOf(person.elsewhere())
  await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`update users set disabled_at = app_now() where id = ${person.user_id}`),
  )
  assert.equal((await codeAs(person.elsewhere(), person.code(), ticket)).status, 403)
  const passkey = authenticator.sign(await person.passkeyOptions())
  assert.equal((await person.call('POST', '/session/passkey', { passkey })).status, 403)
})

async function withPasskey(t: Parameters<typeof useTestService>[0]) {
  const service = await useTestService(t)
  const person = await signedInPerson(service)
  return { service, person, ...(await person.addPasskey()) }
}

test('a passkey signs in alone, and counts as a second factor', async (t) => {
  const { service, person, authenticator, recovery_codes } = await withPasskey(t)
  assert.equal(recovery_codes.length, 10, 'for the day on which the device is lost')
  const browser = person.elsewhere()
  const options = await browser.passkeyOptions()
  assert.deepEqual([options.rpId, options.userVerification, options.allowCredentials], ['stint.test', 'required', []])
  // A passkey that is kept on several devices counts nothing.
  const passkey = authenticator.sign(options, { counter: 0 })
  const done = await browser.call('POST', '/session/passkey', { passkey })
  assert.deepEqual([done.status, done.body.email], [201, person.email])
  assert.equal((await browser.call('GET', '/session')).body.session.second_factor, true)
  assert.deepEqual((await person.elsewhere().signIn()).body.second_factor.methods, ['passkey', 'recovery_code'])
  assert.ok((await actions(service)).includes('users.sign_in_by_passkey'))
  const again = await browser.call('POST', '/session/passkey', { passkey })
  assert.deepEqual([again.status, again.body.code], [403, 'passkey_refused'], 'an answer counts once')
})

type Signing = (given: Awaited<ReturnType<typeof withPasskey>>) => Promise<unknown>

const refused: Record<string, Signing> = {
  'of another origin': async ({ person, authenticator }) =>
    authenticator.sign(await person.passkeyOptions(), { origin: 'https://stint.test.evil.example' }),
  'of another port of the host': async ({ person, authenticator }) =>
    authenticator.sign(await person.passkeyOptions(), { origin: 'https://stint.test:8444' }),
  'for another host': async ({ person, authenticator }) =>
    authenticator.sign(await person.passkeyOptions(), { host: 'evil.example' }),
  'without PIN or finger': async ({ person, authenticator }) =>
    authenticator.sign(await person.passkeyOptions(), { unverified: true }),
  'that names another user': async ({ person, authenticator }) =>
    authenticator.sign(await person.passkeyOptions(), {
      user_handle: Buffer.from('019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3').toString('base64url'),
    }),
  'by another key': async ({ person, authenticator }) => {
    authenticator.forge()
    return authenticator.sign(await person.passkeyOptions())
  },
  'nobody has': async ({ person, authenticator }) => ({
    ...authenticator.sign(await person.passkeyOptions()),
    id: 'AAAAAAAAAAAAAAAAAAAAAA',
  }),
  'for a challenge of its own making': async ({ authenticator }) =>
    authenticator.sign({ challenge: Buffer.alloc(120, 1).toString('base64url'), rpId: 'stint.test' }),
  'for the challenge of another purpose': async ({ person, authenticator }) =>
    authenticator.sign((await person.call('POST', '/proof/options')).body.options),
  'for a challenge of six minutes ago': async ({ service, person, authenticator }) => {
    const options = await person.passkeyOptions()
    await service.clock.advance(360_000)
    return authenticator.sign(options)
  },
  'with a counter that fell': async ({ person, authenticator }) => {
    const passkey = authenticator.sign(await person.passkeyOptions(), { counter: 7 })
    assert.equal((await person.elsewhere().call('POST', '/session/passkey', { passkey })).status, 201)
    return authenticator.sign(await person.passkeyOptions(), { counter: 7 })
  },
}
for (const [name, made] of Object.entries(refused)) {
  test(`a passkey ${name} is refused`, async (t) => {
    const given = await withPasskey(t)
    const passkey = await made(given)
    const browser = given.person.elsewhere()
    const answer = await browser.call('POST', '/session/passkey', { passkey })
    assert.deepEqual([answer.status, answer.body.code, answer.cookie], [403, 'passkey_refused', undefined])
    const told = (await actions(given.service)).includes('users.refuse_passkey')
    assert.equal(told, name !== 'nobody has', 'somebody may have copied the key')
  })
}

test('a network guesses 20 times a minute at passkeys too', async (t) => {
  const service = await useTestService(t)
  const person = await newPerson(service)
  const passkey = { id: 'AAAA', client_data: 'AAAA', authenticator_data: 'AAAA', signature: 'AAAA' }
  const statuses: number[] = []
  for (let n = 0; n < 21; n += 1) {
    statuses.push((await person.call('POST', '/session/passkey', { passkey })).status)
  }
  assert.deepEqual([...new Set(statuses.slice(0, 20)), statuses[20]], [403, 429])
})

test('an organization that demands a second factor opens with one only', async (t) => {
  const service = await useTestService(t)
  const person = await signedInPerson(service)
  const id = service.organization.id
  const demanded = await service.call('PATCH', `/organizations/${id}`, {
    body: { settings: { second_factor: 'required' } },
  })
  assert.equal(demanded.status, 200, JSON.stringify(demanded.body))
  const { session } = (await person.call('GET', '/session')).body
  assert.equal(session.memberships[0].lacks_second_factor, true)
  const ask = () =>
    service.app.inject({
      url: '/console/rest/v2/organizations',
      headers: {
        ...{ 'stint-console': '1', 'sec-fetch-site': 'same-origin', 'stint-organization': id },
        cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
  assert.deepEqual([(await ask()).statusCode, (await ask()).json().code], [403, 'second_factor_required'])
  await person.setUpTotp()
  assert.equal((await ask()).statusCode, 200)
  const removed = await person.call('DELETE', '/account/totp')
  assert.deepEqual([removed.status, removed.body.code], [409, 'invalid_state'])
  assert.equal((await person.call('GET', '/account')).body.totp_since !== null, true)
})
