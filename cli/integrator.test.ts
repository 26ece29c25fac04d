import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { type Ran, stint } from '#test/stint.ts'

let folder: string
let service: ServiceProcess
let signed_in: Record<string, string>
const ca_file = () => join(folder, 'data', 'tls', 'ca.pem')
const nowhere = () => ({ XDG_CONFIG_HOME: join(folder, 'none') })
const profiles_file = (base: string) => join(base, 'stint', 'profiles.json')

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stint-integrator-'))
  service = await startServiceProcess({ data_dir: join(folder, 'data'), port: await freePort(), demo: true })
  signed_in = { XDG_CONFIG_HOME: join(folder, 'config') }
  const ran = await login(signed_in)
  assert.equal(ran.status, 0, ran.error)
})
after(async () => {
  await service.kill('SIGTERM')
  await rm(folder, { recursive: true, force: true })
})

function login(environment: Record<string, string>, token = service.token ?? '', more: string[] = []): Promise<Ran> {
  const words = ['login', '--url', service.origin, '--ca-file', ca_file(), '--token-stdin', ...more]
  return stint(words, environment, `${token}\n`)
}

/** A call of the one who signed in, which has to succeed; answers what --json printed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function call(...words: string[]): Promise<any> {
  const { status, out, error } = await stint([...words, '--json'], signed_in)
  assert.equal(status, 0, `${words.join(' ')}: ${error}`)
  return JSON.parse(out)
}

test('login stores the token for its owner alone, and commands work from then on', async () => {
  const file = profiles_file(signed_in.XDG_CONFIG_HOME ?? '')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const listed = await stint(['profile', 'list'], signed_in)
  assert.equal(listed.out, `* default  ${service.origin}  token\n`)
  const { status, out } = await stint(['organizations', 'list'], signed_in)
  assert.deepEqual([status, /^ID .*\n.*Harbour Pine/.test(out)], [0, true], out)
})

test('a token that does not do, an authority that is unknown and plain HTTP are refused, and nothing is stored', async () => {
  const wrong = await login(nowhere(), 'stint_org_wrong')
  assert.deepEqual([wrong.status, /401 unauthenticated/.test(wrong.error)], [4, true], wrong.error)
  const untrusted = await stint(['login', '--url', service.origin, '--token-stdin'], nowhere(), service.token ?? '')
  assert.deepEqual(
    [untrusted.status, /unknown authority .*--ca-file/.test(untrusted.error)],
    [5, true],
    untrusted.error,
  )
  const plain = await stint(['login', '--url', 'http://localhost:1', '--token-stdin'], nowhere(), 'x')
  assert.deepEqual([plain.status, /must begin with https:\/\//.test(plain.error)], [4, true], plain.error)
  await assert.rejects(stat(profiles_file(nowhere().XDG_CONFIG_HOME)))
})

test('where nothing is set, the error says how to set it', async () => {
  const { status, error } = await stint(['contracts', 'list'], { XDG_CONFIG_HOME: join(folder, 'none') })
  assert.equal(status, 4)
  assert.match(error, /^stint contracts list: no service is named: run `stint login --url/)
  const unknown = await stint(['contracts', 'list', '--profile', 'other'], signed_in)
  assert.deepEqual([unknown.status, /there is no profile "other": known are default/.test(unknown.error)], [4, true])
})

test('the environment wins over the profile', async () => {
  const { status, error } = await stint(['contracts', 'list'], { ...signed_in, STINT_TOKEN: 'stint_org_wrong' })
  assert.deepEqual([status, /401 unauthenticated/.test(error)], [4, true], error)
  const alone = { XDG_CONFIG_HOME: join(folder, 'none'), STINT_URL: service.origin, STINT_CA_FILE: ca_file() }
  const ran = await stint(['contracts', 'list', '--limit', '1'], { ...alone, STINT_TOKEN: service.token ?? '' })
  assert.equal(ran.status, 0, ran.error)
})

test('the token of a profile is sent to the address of that profile only', async () => {
  const { status, error } = await stint(['contracts', 'list'], { ...signed_in, STINT_URL: 'https://localhost:1' })
  assert.deepEqual([status, /no token for https:\/\/localhost:1/.test(error)], [4, true], error)
})

test('a service that is not there is tried again, then told as it is', async () => {
  const away = { ...signed_in, STINT_URL: `https://localhost:${await freePort()}`, STINT_TOKEN: 'x' }
  const { status, error } = await stint(['teams', 'create', '--name', 'Nowhere'], away)
  assert.equal(status, 5)
  assert.match(error, /^stint: nothing listens there \(ECONNREFUSED\); is the service running\?; trying again$/m)
  assert.match(error, /^stint teams create: no answer from the service: nothing listens there/m)
  assert.doesNotMatch(error, /idempotency/, 'nothing was sent')
})

test('a change whose answers are lost is sent again under one key, which the error names', async (t) => {
  const [cert, key] = await Promise.all(
    ['cert', 'key'].map((name) => readFile(join(folder, 'data', 'tls', `${name}.pem`))),
  )
  const keys: unknown[] = []
  const server = createServer({ cert, key }, (request) => {
    keys.push(request.headers['idempotency-key'])
    request.socket.destroy()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  // A server that listens on a port has an address of that kind.
  const { port } = server.address() as AddressInfo
  const lossy = { STINT_URL: `https://localhost:${port}`, STINT_CA_FILE: ca_file(), STINT_TOKEN: 'x', ...nowhere() }
  const { status, error } = await stint(['teams', 'create', '--name', 'Lost'], lossy)
  assert.equal(status, 5)
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1])
  assert.ok(error.includes(`call it again with --idempotency-key ${keys[0]}`), error)
})

test('a file of profiles that others can read is refused', async () => {
  const environment = { XDG_CONFIG_HOME: join(folder, 'open') }
  assert.equal((await login(environment)).status, 0)
  await chmod(profiles_file(environment.XDG_CONFIG_HOME), 0o644)
  const { status, error } = await stint(['contracts', 'list'], environment)
  assert.deepEqual([status, /can be read by others: run `chmod 600/.test(error)], [2, true], error)
})

test('a list shows what work comes to, and says what the token was not granted', async () => {
  const rows = await stint(['timesheets', 'list', '--limit', '1'], signed_in)
  assert.match(rows.out, /^ID +STATUS +TOTAL_AMOUNT /)
  assert.equal(rows.error.includes('Left out'), false)
  const { token } = await call('api-tokens', 'create', '--name', 'blind', '--scopes', 'timesheets:read')
  const environment = { STINT_URL: service.origin, STINT_CA_FILE: ca_file(), STINT_TOKEN: token }
  const withheld = await stint(['timesheets', 'list', '--limit', '1'], environment)
  assert.equal(withheld.out.includes('TOTAL_AMOUNT'), false)
  assert.match(withheld.error, /^Left out, since the token was not granted it: compensation$/m)
})

test('profiles stand beside each other, one is used, one is forgotten', async () => {
  const environment = { XDG_CONFIG_HOME: join(folder, 'several') }
  for (const name of ['one', 'two']) assert.equal((await login(environment, undefined, ['--profile', name])).status, 0)
  assert.match((await stint(['profile', 'list'], environment)).out, /^ {2}one .*\n\* two /)
  assert.equal((await stint(['profile', 'use', 'one'], environment)).status, 0)
  assert.equal((await stint(['logout'], environment)).status, 0)
  assert.match((await stint(['profile', 'list'], environment)).out, /^\* two .*\n$/)
  assert.equal((await stint(['profile', 'use', 'one'], environment)).status, 2)
})

test('a list pages on until it has as many rows as were asked for', async () => {
  const all = await call('contracts', 'list', '--all')
  assert.deepEqual([all.data.length, all.has_more, all.total_count], [15, false, 15])
  const some = await call('contracts', 'list', '--limit', '3', '--statuses', 'active,terminated')
  assert.deepEqual([some.data.length, some.has_more], [3, true])
  const rest = await call(
    'contracts',
    'list',
    '--statuses',
    'active',
    '--statuses',
    'terminated',
    '--cursor',
    some.cursor,
  )
  assert.equal(rest.data.length, some.total_count - 3)
  const many = await call('audit', 'list', '--limit', '150')
  assert.equal(many.data.length, 150, 'a page has 100 rows at most')
  const { error } = await stint(['contracts', 'list', '--limit', '2'], signed_in)
  assert.match(error, /^2 of 15; go on with --all, or with --cursor \S+\n$/)
})

test('flags, a file and standard input make the same resource, and reading it shows a line for each field', async () => {
  const by_flags = await call(
    'people',
    'create',
    '--first-name',
    'Ada',
    '--last-name',
    'Lind',
    '--email',
    'ada@example.org',
    '--country',
    'SE',
  )
  assert.deepEqual([by_flags.first_name, by_flags.country], ['Ada', 'SE'])
  const file = join(folder, 'person.json')
  await writeFile(file, '{"first_name": "Bo", "last_name": "Lind", "email": "bo@example.org", "country": "SE"}')
  const by_file = await call('people', 'create', '--data', `@${file}`, '--first-name', 'Bosse')
  assert.deepEqual([by_file.first_name, by_file.email], ['Bosse', 'bo@example.org'])
  const made = await stint(['teams', 'create', '--data', '-'], signed_in, '{"name": "By \\u0007 hand"}')
  assert.deepEqual([made.status, /--name: /.test(made.error)], [3, true], made.error)
  const read = await stint(['people', 'get', by_file.id], signed_in)
  assert.match(read.out, /^first_name +Bosse$/m)
})

test('a refusal names the flags, what to do and the request, and is a document with --json', async () => {
  const refused = await stint(['contracts', 'create', '--worker.email', 'nobody'], signed_in)
  assert.equal(refused.status, 3)
  assert.match(refused.error, /^stint contracts create: The input is not valid \(400 validation_failed\)$/m)
  assert.match(refused.error, /^ {2}--worker\.email: .+$/m)
  assert.match(refused.error, /^Request [0-9a-f-]{36}$/m)
  const missing = await stint(['contracts', 'get', '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62', '--json'], signed_in)
  assert.deepEqual([missing.status, JSON.parse(missing.error).code, missing.out], [3, 'not_found', ''])
  const wordless = await stint(['contracts', 'get'], signed_in)
  assert.deepEqual([wordless.status, /<contract_id> is missing/.test(wordless.error)], [2, true])
  const { token } = await call('api-tokens', 'create', '--name', 'narrow', '--scopes', 'people:read')
  const narrow = await stint(['contracts', 'list'], { ...signed_in, STINT_TOKEN: token })
  assert.deepEqual([narrow.status, /one of the scopes contracts:read/.test(narrow.error)], [4, true], narrow.error)
  assert.match(narrow.error, /stint login --web/)
})

test('a mistyped operation, flag or noun is told the nearest', async () => {
  for (const [words, near] of [
    [['contracts', 'lsit'], /did you mean "contracts list"\?/],
    [['contarcts', 'list'], /did you mean "contracts"\?/],
    [['contracts', 'list', '--status', 'active'], /did you mean --statuses\?/],
  ] as const) {
    const { status, error } = await stint([...words], signed_in)
    assert.deepEqual([status, near.test(error)], [2, true], error)
  }
})

test('a change is tried, confirmed as it was shown, and refused when it would do something else', async () => {
  const team = await call('teams', 'create', '--name', 'Tried')
  const tried = await call('teams', 'delete', team.id, '--dry-run')
  assert.equal(tried.dry_run.events[0].type, 'team.deleted')
  assert.equal((await call('teams', 'get', team.id)).deleted_at, null)
  const shown = await stint(['teams', 'delete', team.id, '--dry-run'], signed_in)
  assert.match(shown.out, /Tried only: nothing was changed\.[\s\S]*team\.deleted/)
  const before = (await stint(['teams', 'get', team.id, '--etag'], signed_in)).out.trim()
  await call('teams', 'update', team.id, '--name', 'Renamed', '--if-match', before)
  const outdated = await stint(['teams', 'update', team.id, '--name', 'Again', '--if-match', before], signed_in)
  assert.deepEqual([outdated.status, /412 precondition_failed/.test(outdated.error)], [3, true], outdated.error)
  // One digest in 64 begins with a dash, which is no flag there.
  for (const digest of [
    tried.dry_run.digest,
    `-${tried.dry_run.digest.slice(1)}`,
    `--${tried.dry_run.digest.slice(2)}`,
  ]) {
    const changed = await stint(['teams', 'delete', team.id, '--confirm', digest], signed_in)
    assert.deepEqual([changed.status, /409 confirmation_outdated/.test(changed.error)], [3, true], changed.error)
  }
  const { dry_run } = await call('teams', 'delete', team.id, '--dry-run')
  assert.deepEqual(await call('teams', 'delete', team.id, '--confirm', dry_run.digest), { done: true })
})

test('a key of its own makes a repeat do nothing again; without one each call has another', async () => {
  const create = (...more: string[]) => call('departments', 'create', '--name', `Desk ${more.length}`, ...more)
  const [first, again] = [await create('--idempotency-key', 'desk'), await create('--idempotency-key', 'desk')]
  assert.equal(first.id, again.id)
  assert.notEqual((await create()).id, (await call('departments', 'create', '--name', 'Desk 00')).id)
})

test('an answer that is a file goes to the file that is named', async () => {
  const { data } = await call('invoices', 'list', '--limit', '1')
  const output = join(folder, 'invoice.pdf')
  const ran = await stint(['invoices', 'get-pdf', data[0].id, '--output', output], signed_in)
  assert.equal(ran.status, 0, ran.error)
  assert.equal((await readFile(output)).subarray(0, 5).toString(), '%PDF-')
  const csv = await stint(['invoices', 'export', '--from', '2026-01-01', '--to', '2026-04-30'], signed_in)
  assert.match(csv.out, /^\S+,\S+/, csv.error)
})

test('any path is reached by its method', async () => {
  const listed = await call('get', '/contracts', 'limit=2', 'statuses[]=active')
  assert.deepEqual(
    listed.data.map(({ status }: { status: string }) => status),
    ['active', 'active'],
  )
  const { id } = await call('post', '/teams', 'name=Plain')
  assert.equal((await call('patch', `/teams/${id}`, 'external_id:="7"')).external_id, '7')
  assert.deepEqual(await call('delete', `/teams/${id}`), { done: true })
  assert.equal((await stint(['get', 'contracts'], signed_in)).status, 2)
})

test('a simulation goes to the newest subscription that lists the type, and wrong types are told the nearest', async () => {
  const none = await stint(['trigger', 'payment.completed'], signed_in)
  assert.deepEqual(
    [none.status, /no active subscription lists payment\.completed: `stint webhooks create/.test(none.error)],
    [2, true],
  )
  const typo = await stint(['trigger', 'payment.complete'], signed_in)
  assert.deepEqual([typo.status, /did you mean payment\.completed\?/.test(typo.error)], [2, true])
  const webhook = await call(
    'webhooks',
    'create',
    '--url',
    'https://receiver.example.org/hook',
    '--events',
    'payment.completed',
  )
  assert.equal((await call('trigger', 'payment.completed', '--dry-run')).is_simulation, true)
  const delivery = await call('trigger', 'payment.completed')
  assert.deepEqual([delivery.webhook_id, delivery.is_simulation], [webhook.id, true])
  const listed = await call('webhooks', 'deliveries', webhook.id)
  assert.deepEqual(
    listed.data.map(({ id }: { id: string }) => id),
    [delivery.id],
    'a trial sends nothing',
  )
  assert.equal(
    (await call('deliveries', 'show', webhook.id, delivery.id)).body.text.includes('"is_simulation":true'),
    true,
  )
  for (const [word, status] of [
    ['disabled', 'disabled'],
    ['active', 'active'],
  ] as const)
    assert.equal((await call('webhooks', 'update', webhook.id, '--status', word)).status, status)
  assert.equal((await call('webhooks', 'enable', webhook.id)).status, 'active')
})

test('control characters of a value do not reach the terminal', async () => {
  const { linesOf, tableOf } = await import('./service/text.ts')
  const value = { id: 'a', name: '\u001b]0;owned\u0007\u202e' }
  for (const text of [linesOf(value).join('\n'), tableOf([value]).join('\n')])
    for (const character of ['\u001b', '\u0007', '\u202e']) assert.equal(text.includes(character), false)
})
