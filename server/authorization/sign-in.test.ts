import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { addUser, callConsole, pageHeaders } from '#test/console-caller.ts'
import { noteSecret } from '#test/secrets.ts'
import { type TestService, useTestService } from '#test/service.ts'

const email = 'nora@harbour.example'
const password = noteSecret('seven quiet herons')
const right = { email, password }
const wrong = { email, password: 'seven quiet heronz' }

const signIn = (service: TestService, body: unknown = right, address = '127.0.0.1') =>
  callConsole(service, 'POST', '/session', { body, address })

const execute = ({ database }: TestService, statement: ReturnType<typeof sql>) =>
  database.database.transaction({ role: 'owner' }, (tx) => tx.run(statement))

async function withNora(t: Parameters<typeof useTestService>[0]): Promise<TestService> {
  const service = await useTestService(t)
  await addUser(service, right)
  return service
}

/**
 * The same with a hash of the least work: wrong passwords cost what the hash says, and these tests count hundreds of them
 * (25 s with parameters of today). The right one replaces it.
 */
async function withCheaplyHashedNora(t: Parameters<typeof useTestService>[0]): Promise<TestService> {
  const service = await withNora(t)
  await execute(service, sql`update users set password_hash = ${hashOf({ memory: 8, passes: 1 })}`)
  return service
}

/** Of Nora's password, with parameters of choice. */
function hashOf({ memory, passes }: { memory: number; passes: number }): string {
  const nonce = Buffer.alloc(16, 1)
  const hash = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, memory, passes, parallelism: 1 })
  const [salt, text] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${salt}$${text}`
}

test('the right password signs in, the session is known by its cookie, and signing out ends it', async (t) => {
  const service = await withNora(t)
  const { status, body, cookie = '', headers } = await signIn(service, { ...right, email: ' Nora@Harbour.example ' })
  assert.deepEqual([status, body.email, headers['cache-control']], [201, email, 'no-store'])
  const [session, device] = headers['set-cookie'] as string[]
  assert.match(session ?? '', /^__Host-stint_session=[^;]+; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/)
  assert.match(
    device ?? '',
    /^__Host-stint_device_[\w-]{16}=[^;]+; Path=\/; Max-Age=7776000; Secure; HttpOnly; SameSite=Lax$/,
  )

  const known = await callConsole(service, 'GET', '/session', { cookie })
  assert.equal(known.body.session.email, email)
  const ended = await callConsole(service, 'DELETE', '/session', { cookie })
  assert.deepEqual([ended.status, ended.headers['set-cookie']?.toString().includes('Max-Age=0')], [204, true])
  const after = await callConsole(service, 'GET', '/session', { cookie })
  assert.deepEqual(after.body, { session: null, is_new: false })
})

test('a hash with older parameters opens the account and is replaced by one with those of today', async (t) => {
  const service = await withNora(t)
  await execute(service, sql`update users set password_hash = ${hashOf({ memory: 8_192, passes: 1 })}`)
  assert.equal((await signIn(service)).status, 201)
  const now = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ password_hash: string }>(sql`select password_hash from users`),
  )
  assert.match(now?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal((await signIn(service)).status, 201)
})

test('oracle: an unknown address, a wrong password, a disabled account and one without a password read alike', async (t) => {
  const service = await withNora(t)
  await addUser(service, { email: 'off@harbour.example', password })
  await addUser(service, { email: 'none@harbour.example', password: null })
  await execute(service, sql`update users set disabled_at = app_now() where email = 'off@harbour.example'`)
  const answers = await Promise.all(
    ['nora', 'nobody', 'off', 'none'].map(async (name) => {
      const body = { email: `${name}@harbour.example`, password: name === 'off' ? password : wrong.password }
      const answer = await signIn(service, body)
      return { status: answer.status, cookie: answer.cookie, body: { ...answer.body, request_id: '' } }
    }),
  )
  assert.equal(answers[0]?.status, 403)
  assert.equal(answers[0]?.body.code, 'sign_in_refused')
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('oracle: an unknown address takes as long as a wrong password', async (t) => {
  const service = await withNora(t)
  // The least of four: whatever else the process does comes on top of some of them only.
  const spent = async (address: string) => {
    const rounds: number[] = []
    for (let times = 0; times < 4; times += 1) {
      const begun = process.cpuUsage()
      await signIn(service, { email: address, password: 'wrong' })
      rounds.push(process.cpuUsage(begun).user)
    }
    return Math.min(...rounds)
  }
  await spent('warm@harbour.example')
  const [unknown, known] = [await spent('nobody@harbour.example'), await spent(email)]
  assert.ok(unknown > known / 2 && unknown < known * 2, `${unknown} µs against ${known} µs`)
})

test('from the fifth failure an account waits, twice as long each time and never over a minute', async (t) => {
  const service = await withNora(t)
  for (let failures = 0; failures < 5; failures += 1) assert.equal((await signIn(service, wrong)).status, 403)
  const waits: number[] = []
  for (let failures = 5; failures < 13; failures += 1) {
    const refused = await signIn(service, right)
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    const wait_s = Number(refused.headers['retry-after'])
    waits.push(wait_s)
    await service.clock.advance(wait_s * 1_000)
    assert.equal((await signIn(service, wrong)).status, 403)
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60])
  await service.clock.advance(60_000)
  assert.equal((await signIn(service)).status, 201)
  assert.equal((await signIn(service, wrong)).status, 403)
  assert.equal((await signIn(service)).status, 201)
})

test('an address that nobody has waits alike', async (t) => {
  const service = await withNora(t)
  const nobody = { email: 'nobody@harbour.example', password: 'wrong' }
  const statuses: number[] = []
  for (let failures = 0; failures < 6; failures += 1) statuses.push((await signIn(service, nobody)).status)
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429])
})

test('of 30 guesses at once five are looked at', async (t) => {
  const service = await withNora(t)
  const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(service, wrong)))
  const looked_at = answers.filter(({ status }) => status === 403)
  assert.equal(looked_at.length, 5)
  assert.ok(answers.every(({ status }) => status === 403 || status === 429))
})

test('whoever fails on purpose keeps the owner of the account out nowhere but where the failures come from', async (t) => {
  const service = await withNora(t)
  const [attacker, home] = ['192.0.2.1', '198.51.100.1']
  for (let failures = 0; failures < 12; failures += 1) {
    assert.equal((await signIn(service, wrong, attacker)).status, 403)
    assert.equal((await signIn(service, right, home)).status, 201)
    if (failures < 4) continue
    const waiting = await signIn(service, right, attacker)
    const wait_s = Number(waiting.headers['retry-after'])
    assert.deepEqual([waiting.status, wait_s], [429, Math.min(60, 2 ** (failures - 4))])
    await service.clock.advance(wait_s * 1_000)
  }
})

const networks = (count: number) => Array.from({ length: count }, (_, n) => `198.51.100.${n}`)

/** Each network fails as often as a person may, so that from now on all of them count together. */
async function useUpFreeFailures(service: TestService, addresses: readonly string[]): Promise<void> {
  for (let times = 0; times < 4; times += 1) {
    for (const address of addresses) assert.equal((await signIn(service, wrong, address)).status, 403)
  }
}

test('networks that failed an account four times share 30 failures a minute of it, however many guess at once', async (t) => {
  const service = await withCheaplyHashedNora(t)
  const attackers = networks(40)
  await useUpFreeFailures(service, attackers)
  const statuses = (await Promise.all(attackers.map((address) => signIn(service, wrong, address)))).map(
    ({ status }) => status,
  )
  assert.equal(statuses.filter((status) => status === 403).length, 30)
  assert.equal(statuses.filter((status) => status === 429).length, 10)
  const refused = await signIn(service, right, attackers[statuses.indexOf(429)])
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
  await service.clock.advance(60_000)
  assert.equal((await signIn(service, right, attackers[statuses.indexOf(429)])).status, 201)
})

test('the right password opens the account from a network that did not fail, while 40 others use up what it has', async (t) => {
  const service = await withCheaplyHashedNora(t)
  const attackers = networks(40)
  await useUpFreeFailures(service, attackers)
  for (const address of attackers) await signIn(service, wrong, address)
  const home = '203.0.113.1'
  assert.equal((await signIn(service, wrong, home)).status, 403)
  assert.equal((await signIn(service, right, home)).status, 201)
})

test('an account that waits holds nothing against those who asked meanwhile', async (t) => {
  const service = await withCheaplyHashedNora(t)
  await useUpFreeFailures(service, [...networks(31), '127.0.0.1'])
  for (const address of networks(30)) assert.equal((await signIn(service, wrong, address)).status, 403)
  for (let refused = 0; refused < 8; refused += 1) assert.equal((await signIn(service)).status, 429)
  await service.clock.advance(60_000)
  assert.equal((await signIn(service, wrong)).status, 403)
  assert.equal((await signIn(service)).headers['retry-after'], '1')
})

test('a browser that signed in before signs in from a network that is used up, and its own failures alone keep it out', async (t) => {
  const service = await withNora(t)
  const { cookie = '' } = await signIn(service)
  const fromBrowser = (body: unknown) => callConsole(service, 'POST', '/session', { body, cookie })
  for (let n = 0; n < 21; n += 1) await signIn(service, { email: `${n}@harbour.example`, password: 'wrong' })
  assert.equal((await signIn(service)).status, 429)
  assert.equal((await fromBrowser(right)).status, 201)
  for (let failures = 0; failures < 5; failures += 1) assert.equal((await fromBrowser(wrong)).status, 403)
  const refused = await fromBrowser(right)
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1'])
  assert.equal((await signIn(service, right, '203.0.113.1')).status, 201)
  await service.clock.advance(1_000)
  assert.equal((await fromBrowser(right)).status, 201)
})

const unproven: Record<string, (cookie: string) => string> = {
  'of another account': (cookie) => cookie,
  'with a later end': (cookie) => cookie.replace(/=(\d+)\./, (_, expires_s) => `=${Number(expires_s) + 1}.`),
  'with another nonce': (cookie) => cookie.replace(/\.[\w-]{22}\./, `.${'A'.repeat(22)}.`),
  'without its signature': (cookie) => cookie.replace(/\.[\w-]{43}/, `.${'A'.repeat(43)}`),
  'under a plain name': (cookie) => cookie.replace('__Host-', ''),
}
for (const [name, made] of Object.entries(unproven)) {
  test(`a device cookie ${name} proves nothing`, async (t) => {
    const service = await withNora(t)
    const other = { email: 'mira@harbour.example', password }
    await addUser(service, other)
    const { headers } = await signIn(service, name === 'of another account' ? other : right, '203.0.113.1')
    const [, device = ''] = headers['set-cookie'] as string[]
    for (let failures = 0; failures < 5; failures += 1) await signIn(service, wrong)
    const cookie = made(device.slice(0, device.indexOf(';')))
    assert.equal((await callConsole(service, 'POST', '/session', { body: right, cookie })).status, 429)
  })
}

test('a device cookie holds for 90 days', async (t) => {
  const service = await withNora(t)
  const { cookie = '' } = await signIn(service)
  await service.clock.advance(90 * 86_400_000 - 10_000)
  const fails = () => signIn(service, wrong, '127.0.0.1')
  for (let failures = 0; failures < 5; failures += 1) await fails()
  const fromBrowser = () => callConsole(service, 'POST', '/session', { body: right, cookie })
  assert.equal((await fromBrowser()).status, 201)
  await service.clock.advance(10_000)
  for (let failures = 0; failures < 5; failures += 1) await fails()
  assert.equal((await fromBrowser()).status, 429)
})

test('a network has 20 failures a minute over all accounts; successes do not count', async (t) => {
  const service = await withNora(t)
  const guess = (n: number) => signIn(service, { email: `${n}@harbour.example`, password: 'wrong' })
  for (let n = 0; n < 20; n += 1) {
    assert.equal((await guess(n)).status, 403)
    if (n < 19) assert.equal((await signIn(service)).status, 201, String(n))
  }
  const refused = await guess(21)
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
  assert.equal((await signIn(service)).status, 429)
  await service.clock.advance(60_000)
  assert.equal((await signIn(service)).status, 201)
})

test('what was counted is forgotten after a day', async (t) => {
  const service = await withNora(t)
  for (let failures = 0; failures < 5; failures += 1) await signIn(service, wrong)
  await service.clock.advance(86_400_000 + 1)
  for (let failures = 0; failures < 4; failures += 1) assert.equal((await signIn(service, wrong)).status, 403)
  assert.equal((await signIn(service)).status, 201)
})

const foreign: Record<string, Record<string, string>> = {
  'without Stint-Console': { 'stint-console': '' },
  'from another site': { 'sec-fetch-site': 'cross-site' },
  'from a neighbour of our host': { 'sec-fetch-site': 'same-site' },
  'typed in the address bar': { 'sec-fetch-site': 'none' },
  'from another origin in an older browser': { 'sec-fetch-site': '', origin: 'https://evil.example' },
}
for (const [name, headers] of Object.entries(foreign)) {
  test(`a request ${name} is refused unread`, async (t) => {
    const service = await withNora(t)
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const { 'sec-fetch-site': site = pageHeaders['sec-fetch-site'], ...rest } = headers
      const answer = await service.app.inject({
        method,
        url: '/console/auth/session',
        headers: { ...pageHeaders, ...rest, ...(site ? { 'sec-fetch-site': site } : {}) },
        ...(method === 'POST' && { payload: right }),
        ...(site === '' && { headers: { 'stint-console': '1', ...rest } }),
      })
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 'foreign_origin'], method)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })
}

test('an older browser that sends our own Origin only is let in', async (t) => {
  const service = await withNora(t)
  const answer = await service.app.inject({
    method: 'POST',
    url: '/console/auth/session',
    headers: { 'stint-console': '1', origin: 'https://stint.test' },
    payload: right,
  })
  assert.equal(answer.statusCode, 201)
})

const bad: Record<string, unknown> = {
  nothing: undefined,
  'no password': { email },
  'an unknown field': { ...right, remember: true },
  'a number as password': { email, password: 12 },
  'a password of a megabyte': { email, password: 'x'.repeat(60_000) },
  'a list': [right],
  'a __proto__': JSON.parse(`{"email":"${email}","password":"${password}","__proto__":{"a":1}}`),
}
for (const [name, body] of Object.entries(bad)) {
  test(`${name} as body is a 400 that quotes no password`, async (t) => {
    const service = await withNora(t)
    const answer = await callConsole(service, 'POST', '/session', body === undefined ? {} : { body })
    assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'])
    assert.equal(JSON.stringify(answer.body).includes(password), false)
  })
}

test('other methods are 405, and a body of 70 kB is 413', async (t) => {
  const service = await withNora(t)
  const put = await callConsole(service, 'PUT', '/session', { body: {} })
  assert.deepEqual([put.status, put.headers.allow], [405, 'DELETE, GET, HEAD, POST'])
  assert.equal((await signIn(service, { email, password: 'x'.repeat(70_000) })).status, 413)
})

test('no password and no session secret is in the log', async (t) => {
  const service = await withNora(t)
  const { cookie = '' } = await signIn(service)
  await signIn(service, wrong)
  const text = service.logged.join('')
  assert.match(text, /console\.sign_in/)
  const kept = cookie.split('; ').map((pair) => pair.split('=')[1] ?? '')
  for (const secret of [password, wrong.password, ...kept]) assert.equal(text.includes(secret), false)
})
