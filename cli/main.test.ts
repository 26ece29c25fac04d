import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientFor, freePort, startServiceProcess, usedDataFolder } from '#test/process.ts'
import { dataFolder, stint } from '#test/stint.ts'
import { commands } from './commands/index.ts'
import { helpOf } from './main.ts'

const cases = [
  { name: 'the overview lists the commands', words: ['--help'], status: 0, out: /admin create/ },
  { name: 'no word shows the overview', words: [], status: 0, out: /migrate up/ },
  {
    name: 'an unknown command is refused in two lines, without the overview',
    words: ['dance'],
    status: 2,
    error: /^stint: there is no command "dance"\nSee `stint --help`\.\n$/,
  },
  { name: 'a mistyped command is told the nearest', words: ['serv'], status: 2, error: /did you mean "serve"\?/ },
  {
    name: 'so is its second word',
    words: ['token', 'craete'],
    status: 2,
    error: /did you mean "token create"\?\nSee `stint token --help`\.\n$/,
  },
  { name: 'half a command lists the rest', words: ['keys'], status: 2, error: /further word[\s\S]*keys rotate/ },
  { name: 'help of a group lists its commands', words: ['keys', '--help'], status: 0, out: /keys rotate/ },
  { name: 'help <command> is its help', words: ['help', 'migrate', 'up'], status: 0, out: /Usage: stint migrate up/ },
  { name: 'the release is told', words: ['--version'], status: 0, out: /^stint \d+\.\d+\.\d+\n$/ },
  { name: 'a surplus word is refused by name', words: ['serve', 'now'], status: 2, error: /"now" is too much/ },
  {
    name: 'a surplus word behind the words of a command is refused by name',
    words: ['webhooks', 'release', '019cadd4-c134-7a0c-8e1f-27b9c3d45e60', 'please'],
    status: 2,
    error: /"please" is too much/,
  },
  {
    name: 'a mistyped option is refused with the nearest',
    words: ['token', 'create', '--organisation', 'x'],
    status: 2,
    error: /there is no option --organisation; did you mean --organization\?/,
  },
  {
    name: 'help of a command lists its flags',
    words: ['token', 'create', '--help'],
    status: 0,
    out: /--scopes <list>/,
  },
  { name: 'an unknown flag is refused', words: ['serve', '--fast'], status: 2, error: /--fast/ },
  { name: 'a missing flag is named', words: ['token', 'create'], status: 2, error: /--organization is missing/ },
  {
    name: 'a scope that does not exist is named',
    words: ['token', 'create', '--organization', 'x', '--name', 'x', '--scopes', 'contracts:sing'],
    status: 2,
    error: /contracts:sing is not a scope/,
  },
  {
    name: 'a name longer than lists show is refused',
    words: ['token', 'create', '--organization', 'x', '--name', 'n'.repeat(101), '--scopes', 'contracts:read'],
    status: 2,
    error: /--name must be 1 to 100 characters/,
  },
  {
    name: 'an embedded database needs no migrate',
    words: ['migrate', 'up'],
    status: 2,
    error: /DATABASE_URL is not set/,
  },
  {
    name: 'every wrong setting is listed at once',
    words: ['config', 'check'],
    environment: { STINT_PORT: '99999', STINT_BASE_URL: 'http://a.example', DATABASE_URL: 'mysql://u:geheim@h/d' },
    status: 78,
    error: /DATABASE_URL must be an address[\s\S]*STINT_PORT must be[\s\S]*STINT_BASE_URL must be an https origin/,
  },
  {
    name: 'an unknown setting is told once with the nearest known name, and refuses nothing',
    words: ['config', 'check'],
    environment: { STINT_PROT: '1', STINT_TOKEN: 'x', STINT_PORT: 'tcp://10.0.0.7:8443' },
    status: 0,
    error:
      /^stint: warning: STINT_PROT is not a setting .* did you mean STINT_PORT\?\nstint: warning: STINT_PORT is ignored: Kubernetes .*\n$/,
  },
  {
    name: 'a database that does not answer is told with its setting',
    words: ['token', 'create', '--organization', 'x', '--name', 'x', '--scopes', 'all'],
    environment: { DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/d', STINT_DATABASE_WAIT_S: '0' },
    status: 78,
    error: /the database of DATABASE_URL at 127\.0\.0\.1:1 did not answer within 0 s \(connect ECONNREFUSED/,
  },
  {
    name: 'with --json an error is an object, with every fault of the settings',
    words: ['config', 'check', '--json'],
    environment: { STINT_PORT: 'x', STINT_ROLES: 'y' },
    status: 78,
    error:
      /^\{"detail":"the settings are not valid:.*","faults":\["STINT_PORT must[^"]*","STINT_ROLES names[^"]*"\]\}\n$/,
  },
  {
    name: 'so is that of a wrong call',
    words: ['token', 'create', '--json'],
    status: 2,
    error: /^\{"detail":"--organization is missing\\nSee `stint token create --help`\."\}\n$/,
  },
  {
    name: 'config print redacts secrets',
    words: ['config', 'print', '--redacted'],
    environment: { DATABASE_URL: 'postgres://u:geheim@h/d?sslpassword=geheim' },
    status: 0,
    out: /^DATABASE_URL=postgres:\/\/u:\*\*\*@h\/d\?sslpassword=\*\*\* {2}# environment$/m,
  },
  {
    name: 'config print shows the values in force and where they come from',
    words: ['config', 'print'],
    environment: { STINT_PORT: '9000' },
    status: 0,
    out: /^STINT_PORT=9000 {2}# environment\nSTINT_BASE_URL=https:\/\/localhost:9000 {2}# default$/m,
  },
] as const

for (const { name, words, status, ...expected } of cases) {
  test(name, async () => {
    const ran = await stint([...words], 'environment' in expected ? expected.environment : {})
    assert.equal(ran.status, status, ran.error)
    if ('out' in expected) assert.match(ran.out, expected.out)
    if ('error' in expected) assert.match(ran.error, expected.error)
    assert.equal(`${ran.out}${ran.error}`.includes('geheim'), false)
  })
}

for (const entry of commands) {
  test(`the help of stint ${entry.name} has synopsis, options, examples that are right, and exit statuses`, async () => {
    const command = await entry.load()
    const text = helpOf(entry, command)
    assert.doesNotMatch(text, / $/m, 'no line ends in a blank')
    for (const part of [`Usage: stint ${entry.name}`, 'Options:', 'Examples:', 'Exit status:'])
      assert.ok(text.includes(part))
    const options = Object.keys(command.options ?? {}).map((option) => option.split(' ')[0])
    assert.ok(command.examples.length > 0)
    for (const example of command.examples) {
      assert.ok(`${example} `.startsWith(`${entry.name} `), example)
      const used = [...example.matchAll(/ --([a-z-]+)/g)].map(([, name = '']) => name)
      assert.deepEqual(
        used.filter((name) => !options.includes(name) && name !== 'json'),
        [],
      )
    }
  })
}

test('owner and token are made while the service runs, and the token works', async (t) => {
  const data_dir = await usedDataFolder(t)
  const service = await startServiceProcess({ data_dir, port: await freePort() })
  t.after(() => service.kill('SIGTERM'))
  const environment = { STINT_DATA_DIR: data_dir }
  const admin = [
    'admin',
    'create',
    '--email',
    'nora@example.org',
    '--organization',
    'Pine & Co',
    '--country',
    'DE',
    '--json',
  ]
  const made = await stint([...admin, '--password-stdin'], environment, 'correct horse battery\n')
  assert.equal(made.status, 0, made.error)
  const { organization_id } = JSON.parse(made.out)

  const words = [
    'token',
    'create',
    '--organization',
    'Pine & Co',
    '--name',
    'ci',
    '--scopes',
    'organizations:read',
    '--expires',
    '1h',
  ]
  const token = (await stint(words, environment)).out.trim()
  assert.match(token, /^stint_org_[0-9A-Za-z]{49}$/)
  const client = await clientFor(data_dir, token)
  t.after(() => client.close())
  const { body } = await client.call('GET', `${service.origin}/rest/v2/organizations`)
  assert.equal(body.data[0].id, organization_id)
  assert.equal(body.data[0].country, 'DE')
})

test('a start that is refused names the setting, ends the process and leaves no database running', async (t) => {
  const data_dir = await usedDataFolder(t)
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const port = String((taken.address() as AddressInfo).port)
  const refusals: [Record<string, string>, RegExp][] = [
    [
      { STINT_PORT: port },
      new RegExp(`^stint serve: The port ${port} of STINT_PORT is in use by another program: choose another`),
    ],
    [
      { STINT_MANAGEMENT_PORT: port },
      /^stint serve: The port \d+ of STINT_MANAGEMENT_PORT is in use by another program: choose another/,
    ],
    [{ STINT_TLS_CERT_FILE: '/nonexistent', STINT_TLS_KEY_FILE: '/nonexistent' }, /cannot read \/nonexistent/],
    [{ WEBHOOK_CA_FILE: '/nonexistent' }, /WEBHOOK_CA_FILE cannot be read/],
    [{ WEBHOOK_CA_FILE: import.meta.filename }, /WEBHOOK_CA_FILE cannot be read as certificates in PEM form/],
  ]
  for (const [setting, message] of refusals) {
    const environment = { STINT_DATA_DIR: data_dir, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0', ...setting }
    const ran = await stint(['serve'], environment)
    assert.equal(ran.status, 78, ran.error)
    assert.match(ran.error, message)
    await assert.rejects(stat(join(data_dir, 'postgres', 'postmaster.pid')))
  }
})

test('the operator makes a personal token of a member, within the role, which opens the tool server', async (t) => {
  const data_dir = await dataFolder(t)
  const service = await startServiceProcess({ data_dir, port: await freePort(), demo: true })
  t.after(() => service.kill('SIGTERM'))
  const create = (user: string, scopes: string) => {
    const rights = ['--name', 'agent', '--scopes', scopes, '--sensitive', 'all']
    const words = ['token', 'create', '--organization', 'Harbour Pine', '--user', user, ...rights]
    return stint(words, { STINT_DATA_DIR: data_dir })
  }
  const made = await create('nora@harbour.example', 'all')
  assert.match(made.out, /^stint_test_pat_\w+\n$/, made.error)
  const client = await clientFor(data_dir, made.out.trim())
  t.after(() => client.close())
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_contracts', arguments: { limit: 1 } },
  }
  const { status, body } = await client.call('POST', `${service.origin}/mcp`, call)
  assert.deepEqual([status, body.result?.isError ?? false], [200, false], JSON.stringify(body))
  const { body: token } = await client.call('GET', `${service.origin}/rest/v2/api-tokens?types=personal`)
  assert.deepEqual([token.data[0].type, token.data[0].scopes.includes('scim:write')], ['personal', false])
  assert.ok(token.data[0].sensitive_data.includes('compensation'))

  const excess = await create('nora@harbour.example', 'scim:write')
  assert.deepEqual([excess.status, /does not allow scim:write/.test(excess.error)], [1, true], excess.error)
  const stranger = await create('nobody@example.org', 'all')
  assert.deepEqual([stranger.status, /no member of this organization/.test(stranger.error)], [1, true], stranger.error)
})

test('a short password is refused before anything is opened', async (t) => {
  const data_dir = await dataFolder(t)
  const words = ['admin', 'create', '--email', 'n@example.org', '--organization', 'A', '--password-stdin']
  const ran = await stint(words, { STINT_DATA_DIR: data_dir }, 'short\n')
  assert.equal(ran.status, 2)
  assert.match(ran.error, /at least 12 characters/)
  await assert.rejects(stat(join(data_dir, 'postgres')))
})

test('the secrets file is made with mode 0600 and never overwritten', async (t) => {
  const data_dir = await dataFolder(t)
  const environment = { STINT_DATA_DIR: data_dir }
  assert.equal((await stint(['keys', 'create'], environment)).status, 0)
  assert.equal((await stat(join(data_dir, 'secrets.json'))).mode & 0o777, 0o600)
  const again = await stint(['keys', 'create'], environment)
  assert.equal(again.status, 2)
  assert.match(again.error, /never overwritten/)
})
