import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Agent, request } from 'undici'
import { readDemo } from '#boot/demo/seed.ts'
import { freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { dataFolder, stint } from '#test/stint.ts'

const page = { 'stint-console': '1', 'sec-fetch-site': 'same-origin' }

/** Asks the console's endpoints as a page does, trusting the service's own authority. */
async function pageOf(t: TestContext, data_dir: string, { origin }: ServiceProcess) {
  const agent = new Agent({ connect: { ca: await readFile(join(data_dir, 'tls', 'ca.pem'), 'utf8') } })
  t.after(() => agent.destroy())
  return async (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: object) => {
    const answer = await request(`${origin}/console/auth${path}`, {
      method,
      dispatcher: agent,
      headers: { ...page, ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.statusCode, body: (await answer.body.json()) as any }
  }
}

const secretOf = (link: string) => link.trim().split('#')[1] ?? ''

test('a first start names a file with a set-up link, which works until an account exists', async (t) => {
  const data_dir = await dataFolder(t)
  const port = await freePort()
  const first = await startServiceProcess({ data_dir, port, environment: { STINT_LOG_LEVEL: 'info' } })
  const file = join(data_dir, 'set-up-link')
  const link = await readFile(file, 'utf8')
  assert.match(link, new RegExp(`^https://localhost:${port}/console/set-up#[\\w-]{43}\n$`))
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.match(first.printed, /set-up-link$/m)
  assert.equal(first.printed.includes(secretOf(link)), false)
  const ask = await pageOf(t, data_dir, first)
  const shown = await ask('GET', '/set-up', { 'stint-set-up-link': secretOf(link) })
  assert.deepEqual([shown.status, shown.body.purpose], [200, 'first_owner'])

  const words = ['admin', 'create', '--email', 'nora@example.org', '--organization', 'Pine', '--json']
  const made = await stint(words, { STINT_DATA_DIR: data_dir, STINT_PORT: String(port) })
  assert.equal(made.status, 0, made.error)
  assert.equal(made.error, '')
  const again = await stint([...words, '--sandbox'], { STINT_DATA_DIR: data_dir, STINT_PORT: String(port) })
  assert.equal(again.status, 1)
  assert.match(again.error, /there is an organization Pine already/)
  const { set_up_link, link: leaked } = JSON.parse(made.out)
  assert.equal(leaked, undefined)
  const taken = await ask('GET', '/set-up', { 'stint-set-up-link': secretOf(link) })
  assert.deepEqual([taken.status, taken.body.reason], [404, 'taken'])
  const own = { 'stint-set-up-link': secretOf(set_up_link) }
  assert.equal((await ask('GET', '/set-up', own)).body.email, 'nora@example.org')
  assert.equal((await ask('POST', '/set-up', own, { password: 'seven quiet herons' })).status, 201)

  await first.kill('SIGTERM')
  const second = await startServiceProcess({ data_dir, port })
  t.after(() => second.kill('SIGTERM'))
  await assert.rejects(stat(file))
  assert.equal(second.printed.includes('Nobody has an account'), false)
  const sign_in = { email: 'nora@example.org', password: 'seven quiet herons' }
  assert.equal((await ask('POST', '/session', {}, sign_in)).status, 201)

  const reset = await stint(['admin', 'reset', '--email', 'nora@example.org'], {
    STINT_DATA_DIR: data_dir,
    STINT_BASE_URL: 'https://stint.example',
  })
  assert.match(reset.out, /^https:\/\/stint\.example\/console\/reset#[\w-]{43}$/m)
  assert.equal(reset.error, '')
  const elsewhere = { STINT_DATA_DIR: data_dir, STINT_PORT: String(await freePort()) }
  const unanswered = await stint(['admin', 'reset', '--email', 'nora@example.org'], elsewhere)
  assert.equal(unanswered.status, 0)
  assert.ok(unanswered.error.includes(`nothing listens on localhost:${elsewhere.STINT_PORT}`), unanswered.error)
  const nobody = await stint(['admin', 'reset', '--email', 'nobody@example.org'], { STINT_DATA_DIR: data_dir })
  assert.deepEqual([nobody.status, /nobody has the address/.test(nobody.error)], [1, true])
})

test('the file of --demo holds a sign-in with a password of its own, which works', async (t) => {
  const data_dir = await dataFolder(t)
  const service = await startServiceProcess({ data_dir, port: await freePort(), demo: true })
  t.after(() => service.kill('SIGTERM'))
  const { email, password } = (await readDemo(join(data_dir, 'demo-credentials'))) ?? {}
  const ask = await pageOf(t, data_dir, service)
  assert.equal((await ask('POST', '/session', {}, { email, password })).status, 201)
})

test('a password and a link exclude each other', async () => {
  const words = ['admin', 'create', '--email', 'n@example.org', '--organization', 'A', '--link', '--password-stdin']
  const ran = await stint(words, {}, 'seven quiet herons\n')
  assert.deepEqual([ran.status, /exclude each other/.test(ran.error)], [2, true])
})
