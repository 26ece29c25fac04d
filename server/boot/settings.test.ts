import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  flag,
  integer,
  list,
  oneOf,
  optional,
  readSettings,
  SettingsError,
  sourcesOf,
  text,
  warningsOf,
} from './settings.ts'

const table = {
  STINT_NAME: text('stint', 'Name.'),
  STINT_PORT: integer(8443, [0, 65_535], 'Port.'),
  STINT_SECRET: optional('Secret.', { is_secret: true }),
  STINT_DEBUG: flag(false, 'Debug.'),
  STINT_LEVEL: oneOf(['low', 'high'], 'low', 'Level.'),
  STINT_HOSTS: list('a,b', 'Hosts.', (item) => {
    if (item === 'bad') throw new Error('has a bad host')
  }),
}

test('without anything set every setting has its default', () => {
  assert.deepEqual(readSettings(table, {}), {
    STINT_NAME: 'stint',
    STINT_PORT: 8443,
    STINT_SECRET: null,
    STINT_DEBUG: false,
    STINT_LEVEL: 'low',
    STINT_HOSTS: ['a', 'b'],
  })
})

test('the environment counts more than the file, the file more than the default', () => {
  const file = { STINT_NAME: 'file', STINT_LEVEL: 'high' }
  const { STINT_NAME, STINT_LEVEL, STINT_PORT } = readSettings(table, { STINT_NAME: 'environment' }, file)
  assert.deepEqual([STINT_NAME, STINT_LEVEL, STINT_PORT], ['environment', 'high', 8443])
})

test('an empty value is no value', () => {
  assert.equal(readSettings(table, { STINT_PORT: '' }).STINT_PORT, 8443)
})

test('NAME_FILE names a file that holds the value, without its last line end', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stint-settings-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'secret')
  await writeFile(path, 'hush\n')
  const read = (environment: Record<string, string>, file: Record<string, string> = {}) =>
    readSettings(table, environment, file).STINT_SECRET
  assert.equal(read({ STINT_SECRET_FILE: path }), 'hush')
  assert.equal(read({}, { STINT_SECRET_FILE: path }), 'hush')
  assert.equal(read({ STINT_SECRET: 'louder' }, { STINT_SECRET_FILE: path }), 'louder')
  assert.throws(() => read({ STINT_SECRET: 'louder', STINT_SECRET_FILE: path }), /STINT_SECRET is given twice/)
  await writeFile(path, '\n')
  assert.throws(() => read({ STINT_SECRET_FILE: path }), /STINT_SECRET has nothing in its file/)
})

test('items of a list are trimmed, empty ones dropped', () => {
  assert.deepEqual(readSettings(table, { STINT_HOSTS: ' x , ,y,' }).STINT_HOSTS, ['x', 'y'])
})

const faults: [name: string, value: string, fault: RegExp][] = [
  ['STINT_PORT', '65536', /STINT_PORT must be a whole number from 0 to 65535/],
  ['STINT_PORT', '-1', /STINT_PORT/],
  ['STINT_PORT', '1e3', /STINT_PORT/],
  ['STINT_PORT', '80 ', /STINT_PORT/],
  ['STINT_DEBUG', 'yes', /STINT_DEBUG must be true or false/],
  ['STINT_LEVEL', 'middle', /STINT_LEVEL must be one of low, high/],
  ['STINT_HOSTS', 'a,bad', /STINT_HOSTS has a bad host/],
  ['STINT_SECRET_FILE', '/nowhere/at/all', /STINT_SECRET .*ENOENT/],
]
for (const [name, value, fault] of faults) {
  test(`refused: ${name}=${value}`, () => assert.throws(() => readSettings(table, { [name]: value }), fault))
}

test('all faults are told at once', () => {
  const wrong = { STINT_PORT: 'x', STINT_DEBUG: 'x', STINT_LEVEL: 'x', STINT_OTHER: 'x' }
  assert.throws(
    () => readSettings(table, wrong),
    (error) => error instanceof SettingsError && error.faults.length === 3,
  )
})

test('what no setting by itself tells is told together with the faults of others', () => {
  const between = ({ STINT_NAME }: { STINT_NAME?: string }) => [`STINT_NAME ${STINT_NAME} does not go with another`]
  assert.throws(
    () => readSettings(table, { STINT_PORT: 'x' }, {}, between),
    (error) => error instanceof SettingsError && error.faults.length === 2,
  )
})

test('an unknown name of ours is a warning with the nearest known one, not a refusal', () => {
  const environment = { STINT_PROT: '9000', STINT_NAM: 'x', WEBHOOK_ANYTHING: 'x' }
  assert.equal(readSettings(table, environment).STINT_PORT, 8443)
  assert.deepEqual(warningsOf(table, { environment, file: { STINT_HOST: 'y' }, file_name: 'stint.json' }), [
    'STINT_PROT is not a setting of this release and is ignored; did you mean STINT_PORT?',
    'STINT_NAM is not a setting of this release and is ignored; did you mean STINT_NAME?',
    'WEBHOOK_ANYTHING is not a setting of this release and is ignored',
    'STINT_HOST in stint.json is not a setting of this release and is ignored; did you mean STINT_HOSTS?',
  ])
})

test('names that are not ours, and those of clients, are left alone', () => {
  const environment = { PATH: '/bin', NODE_ENV: 'test', STINT_TOKEN: 'x', STINT_URL: 'y', STINT_SECRET_FILE: 'z' }
  assert.deepEqual(warningsOf(table, { environment }), [])
})

test('what Kubernetes sets for a service of our name is ignored with one warning', () => {
  const address = 'tcp://10.0.0.7:8443'
  const environment = {
    STINT_PORT: address,
    STINT_PORT_8443_TCP: address,
    STINT_PORT_8443_TCP_PROTO: 'tcp',
    STINT_PORT_8443_TCP_PORT: '8443',
    STINT_PORT_8443_TCP_ADDR: '10.0.0.7',
    STINT_SERVICE_HOST: '10.0.0.7',
    STINT_SERVICE_PORT: '8443',
    STINT_SERVICE_PORT_HTTPS: '8443',
    STINT_API_PORT: address,
    WEBHOOK_RECEIVER_SERVICE_HOST: '10.0.0.8',
  }
  assert.equal(readSettings(table, environment).STINT_PORT, 8443)
  assert.equal(readSettings(table, environment, { STINT_PORT: '9000' }).STINT_PORT, 9000)
  assert.deepEqual(warningsOf(table, { environment }), [
    'STINT_PORT, STINT_PORT_8443_TCP, STINT_PORT_8443_TCP_PROTO and 7 more are ignored: Kubernetes sets such names for a service (enableServiceLinks)',
  ])
})

test('the source of each value is known', () => {
  const environment = { STINT_NAME: 'x', STINT_SECRET_FILE: import.meta.filename, STINT_LEVEL: '' }
  const { STINT_NAME, STINT_SECRET, STINT_LEVEL, STINT_DEBUG } = sourcesOf(table, {
    environment,
    file: { STINT_DEBUG: 'true', STINT_NAME: 'y', STINT_LEVEL: 'high' },
    file_name: 'stint.toml',
  })
  assert.deepEqual(
    [STINT_NAME, STINT_SECRET, STINT_LEVEL, STINT_DEBUG],
    ['environment', 'environment, STINT_SECRET_FILE', 'default', 'stint.toml'],
  )
})
