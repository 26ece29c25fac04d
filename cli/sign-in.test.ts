import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { allow, postForm, requestIdOf, type SignedIn, signIn } from '#test/oauth.ts'
import { dataFolder, type Ran, stint } from '#test/stint.ts'
import { lock_limit_ms } from './service/oauth.ts'

const program = new URL('./stint.js', import.meta.url).pathname

let service: HttpsService
let owner: SignedIn
before(async () => {
  service = await startHttpsService()
  owner = await signIn(service)
})
after(() => service.close())

/** Runs `stint login --web`, with a person in the browser who decides. */
async function loginByBrowser(
  environment: Record<string, string>,
  decision: 'approve' | 'deny',
  scopes = 'contracts:read',
): Promise<Ran> {
  const words = ['login', '--url', service.origin, '--ca-file', service.ca_file, '--web', '--scopes', scopes]
  const child = spawn(process.execPath, [program, ...words], { env: { PATH: process.env.PATH ?? '', ...environment } })
  const ended = once(child, 'close')
  const seen = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    seen.out += chunk
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  child.stderr.on('data', (chunk) => {
    seen.error += chunk
    const [address] = /^https:\/\/\S+$/m.exec(seen.error) ?? []
    if (address) resolve(address)
  })
  const address = await Promise.race([promise, ended.then(() => assert.fail(seen.error))])
  const { pathname, search } = new URL(address)
  const asked = await service.app.inject({ url: `${pathname}${search}`, headers: { cookie: owner.cookie } })
  const back = await allow(service, requestIdOf(asked), owner.cookie, { decision })
  const shown = await fetch(back)
  assert.match(await shown.text(), /Back to the terminal/)
  const [status] = await ended
  return { status, ...seen }
}

test('a person signs in by the browser; tokens are exchanged once for several processes, and logout ends them', async (t) => {
  const environment = { XDG_CONFIG_HOME: await dataFolder(t) }
  const file = join(environment.XDG_CONFIG_HOME, 'stint', 'profiles.json')
  const signed = await loginByBrowser(environment, 'approve')
  assert.equal(signed.status, 0, signed.error)
  assert.match((await stint(['profile', 'list'], environment)).out, /^\* default {2}\S+ {2}browser$/m)
  const list = () => stint(['contracts', 'list'], environment)
  assert.equal((await list()).status, 0)

  const stored = JSON.parse(await readFile(file, 'utf8'))
  const first: string = stored.profiles.default.oauth.access_token
  stored.profiles.default.oauth.expires_at = 0
  await writeFile(file, JSON.stringify(stored))
  for (const ran of await Promise.all([list(), list(), list(), list()])) assert.equal(ran.status, 0, ran.error)
  const { access_token } = JSON.parse(await readFile(file, 'utf8')).profiles.default.oauth
  assert.notEqual(access_token, first)
  // One that exchanges holds the lock; another one waits for it, until it must have ended.
  const next = JSON.parse(await readFile(file, 'utf8'))
  next.profiles.default.oauth.expires_at = 0
  await writeFile(file, JSON.stringify(next))
  const ends_at = Date.now() + 12_000
  await writeFile(`${file}.lock`, '')
  const taken_at = new Date(ends_at - lock_limit_ms)
  await utimes(`${file}.lock`, taken_at, taken_at)
  assert.equal((await list()).status, 0)
  assert.ok(Date.now() > ends_at, 'it did not wait')

  assert.equal((await stint(['logout'], environment)).status, 0)
  const ended = { STINT_URL: service.origin, STINT_CA_FILE: service.ca_file, STINT_TOKEN: access_token }
  assert.equal((await stint(['contracts', 'list'], { ...environment, ...ended })).status, 4)
})

test('a person who denies leaves nothing stored', async (t) => {
  const environment = { XDG_CONFIG_HOME: await dataFolder(t) }
  const { status, error } = await loginByBrowser(environment, 'deny')
  assert.deepEqual([status, /not allowed in the browser \(access_denied\)/.test(error)], [4, true], error)
  assert.match((await stint(['profile', 'list'], environment)).out, /none yet/)
})

test('a stream goes on with a new token when the one that opened it has ended', async (t) => {
  const environment = { XDG_CONFIG_HOME: await dataFolder(t) }
  const file = join(environment.XDG_CONFIG_HOME, 'stint', 'profiles.json')
  assert.equal((await loginByBrowser(environment, 'approve', 'webhooks:read')).status, 0)
  const child = spawn(process.execPath, [program, 'events', 'tail', '--json'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', (chunk) => {
    told += chunk
  })
  const opened = once(child.stderr, 'data')
  assert.match(String((await opened)[0]), /Following/)
  const stored = JSON.parse(await readFile(file, 'utf8'))
  const { client_id, access_token } = stored.profiles.default.oauth
  stored.profiles.default.oauth.expires_at = 0
  await writeFile(file, JSON.stringify(stored))
  assert.equal((await postForm(service, '/oauth/revoke', { client_id, token: access_token })).status, 200)
  while (JSON.parse(await readFile(file, 'utf8')).profiles.default.oauth.access_token === access_token) {
    assert.equal(child.exitCode, null, told)
    await Promise.race([once(service.app.server, 'request'), once(child, 'exit')])
  }
  child.kill('SIGINT')
  if (child.exitCode === null) await once(child, 'exit')
  assert.equal(child.exitCode, 0, told)
})
