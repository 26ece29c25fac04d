import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { flag, integer, list, oneOf, optional, readSettings, SettingsError, text } from './settings.ts'

const table = {
  STINT_NAME: text('stint', 'Name.'),
  STINT_PORT: integer(8443, [0, 65_535], 'Port.'),
  STINT_SECRET: optional('Secret.', true),
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
  await writeFile(join(folder, 'secret'), 'hush\n')
  assert.equal(readSettings(table, { STINT_SECRET_FILE: join(folder, 'secret') }).STINT_SECRET, 'hush')
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
  ['STINT_NAM', 'x', /STINT_NAM is not a setting of this release/],
  ['WEBHOOK_ANYTHING', 'x', /WEBHOOK_ANYTHING is not a setting/],
  ['STINT_SECRET_FILE', '/nowhere/at/all', /STINT_SECRET .*ENOENT/],
]
for (const [name, value, fault] of faults) {
  test(`refused: ${name}=${value}`, () => assert.throws(() => readSettings(table, { [name]: value }), fault))
}

test('all faults are told at once', () => {
  const wrong = { STINT_PORT: 'x', STINT_DEBUG: 'x', STINT_OTHER: 'x' }
  assert.throws(
    () => readSettings(table, wrong),
    (error) => error instanceof SettingsError && error.faults.length === 3,
  )
})

test('names that are not ours are left alone', () => {
  assert.doesNotThrow(() => readSettings(table, { PATH: '/bin', NODE_ENV: 'test' }))
})

test('an unknown name in the file is refused whatever it begins with', () => {
  assert.throws(() => readSettings(table, {}, { port: '1' }), /port is not a setting/)
})
