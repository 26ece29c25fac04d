import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { dataFolder } from '#test/stint.ts'
import { egressSettings, loadConfig } from './config.ts'
import { SettingsError } from './settings.ts'

const refused: [setting: string, value: string][] = [
  ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/'],
  ['WEBHOOK_ALLOWED_NETWORKS', '169.254.0.0/16'],
  ['STINT_CLIENT_ALLOWED_NETWORKS', '169.254.0.0/16'],
  ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8/9'],
  ['STINT_CLIENT_ALLOWED_NETWORKS', '10.0.0.0/33'],
  ['STINT_AUTH_URL', 'http://login.stint.example'],
  ['STINT_AUTH_URL', 'https://login.stint.example/'],
  ['STINT_AUTH_URL', 'https://stint.example/login'],
  ['STINT_AUTH_URL', 'login.stint.example'],
  ['STINT_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['STINT_TRUSTED_PROXIES', '2001:db8::/129'],
  ['STINT_TRUSTED_PROXIES', 'proxy.example'],
  ['WEBHOOK_ALLOWED_PORTS', '443,many'],
  ['STINT_OTHER_PORTS', '8444,65536'],
  ['DATABASE_REPLICA_URL', 'postgres://u@h/d'],
  ['STINT_TLS_CERT_FILE', '/some/cert.pem'],
  ['STINT_TLS_KEY_FILE', '/some/key.pem'],
  ['STINT_MANAGEMENT_PORT', '8443'],
  ['WEBHOOK_RETRY_SCHEDULE', ','],
  ['WEBHOOK_RETRY_SCHEDULE', Array(21).fill('1m').join()],
]
for (const [setting, value] of refused) {
  test(`${setting}=${value} stops the start instead of opening more than was meant`, () => {
    assert.throws(() => loadConfig({ [setting]: value }), SettingsError)
  })
}

test('plain HTTP to receivers on this machine is for a service that nobody else uses', () => {
  const setting = { WEBHOOK_ALLOW_LOOPBACK_HTTP: 'true' }
  assert.equal(egressSettings(loadConfig(setting), 'https://localhost:8443').allow_loopback_http, true)
  assert.equal(egressSettings(loadConfig({}), 'https://localhost:8443').allow_loopback_http, false)
  const others = [{ STINT_BASE_URL: 'https://stint.example' }, { DATABASE_URL: 'postgres://u@h/d' }]
  for (const other of others) assert.throws(() => loadConfig({ ...setting, ...other }), /WEBHOOK_ALLOW_LOOPBACK_HTTP/)
})

test('no receiver may have our names, nor a port that a process of this service has on this machine', () => {
  const own = (settings: Record<string, string>, origin: string) => {
    const { own_hosts, own_ports } = egressSettings(loadConfig(settings), origin)
    return [own_hosts, [...own_ports]]
  }
  assert.deepEqual(own({}, 'https://localhost:8443'), [[], [8443, 9443]])
  const behind_proxies = { STINT_AUTH_URL: 'https://localhost', STINT_PORT: '8001', STINT_OTHER_PORTS: '8002, 9444' }
  assert.deepEqual(own(behind_proxies, 'https://stint.example'), [['stint.example'], [8001, 9443, 8002, 9444, 443]])
})

test('networks and ports as they are meant are taken', () => {
  const { WEBHOOK_ALLOWED_NETWORKS, STINT_TRUSTED_PROXIES } = loadConfig({
    WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,::1',
    STINT_TRUSTED_PROXIES: '192.0.2.1,2001:db8::/32',
    WEBHOOK_ALLOWED_PORTS: '443, 8000-9000',
  })
  assert.deepEqual(WEBHOOK_ALLOWED_NETWORKS, ['10.0.0.0/8', '::1'])
  assert.deepEqual(STINT_TRUSTED_PROXIES, ['192.0.2.1', '2001:db8::/32'])
})

test('stint.json and stint.toml hold settings, and a broken one is told without its text', async (t) => {
  const path = join(await dataFolder(t), 'stint.json')
  await writeFile(path, '{ "STINT_PORT": 9000, "STINT_ROLES": ["api"], "STINT_HOST": null }')
  const { STINT_PORT, STINT_ROLES, STINT_HOST } = loadConfig({}, path)
  assert.deepEqual([STINT_PORT, STINT_ROLES, STINT_HOST], [9000, ['api'], '127.0.0.1'])
  const toml = join(dirname(path), 'stint.toml')
  await writeFile(
    toml,
    '# A try\nSTINT_PORT = 9_001\nSTINT_ROLES = [\n  "api", # no worker\n]\nSTINT_DATA_DIR = \'C:\\data\'\n',
  )
  const other = loadConfig({}, toml)
  assert.deepEqual([other.STINT_PORT, other.STINT_ROLES, other.STINT_DATA_DIR], [9001, ['api'], 'C:\\data'])
  await writeFile(toml, 'DATABASE_URL = "postgres://u:geheim@h/d\n')
  const words = /the settings are not valid:\n {2}\S+stint.toml is not TOML: see line 1, column \d+$/
  assert.throws(() => loadConfig({}, toml), words)
  await writeFile(toml, '[STINT_PORT]\nof = "geheim"\n')
  assert.throws(() => loadConfig({}, toml), /STINT_PORT in \S+ must be a text, a number, true, false or a list$/)
  for (const broken of ['{ "DATABASE_URL": "postgres://u:geheim@h/d", }', '[]', 'null', '']) {
    await writeFile(path, broken)
    assert.throws(
      () => loadConfig({}, path),
      (error) =>
        error instanceof SettingsError &&
        /must hold one JSON object/.test(error.message) &&
        !/geheim/.test(error.message),
    )
  }
})
