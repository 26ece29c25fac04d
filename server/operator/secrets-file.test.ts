import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSecretsFile, writeSecretsFile } from '#operator/secrets-file.ts'
import { dataFolder } from '#test/stint.ts'

test('the secrets file is made once, for its owner only, and nothing else is left in its folder', async (t) => {
  const folder = await dataFolder(t)
  const path = join(folder, 'secrets.json')
  const made = openSecretsFile(path, true)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(openSecretsFile(path, true), made)
  const before = await readFile(path, 'utf8')
  assert.throws(() => writeSecretsFile(path), /EEXIST/)
  assert.equal(await readFile(path, 'utf8'), before)
  assert.deepEqual(await readdir(folder), ['secrets.json'])
})

const key = Buffer.alloc(32, 1).toString('base64')
const good = [{ id: 'a', key }]
const broken: [what: string, content: string][] = [
  ['no JSON', `{ "sealing_keys": [{ "id": "a", "key": "${key}" `],
  ['null', 'null'],
  ['no key', JSON.stringify({ sealing_keys: [] })],
  ['a list that is none', JSON.stringify({ sealing_keys: 'x' })],
  ['an entry that is none', JSON.stringify({ sealing_keys: [null] })],
  ['a key that is too short', JSON.stringify({ sealing_keys: [{ id: 'a', key: key.slice(4) }] })],
  ['an id that sealed values cannot carry', JSON.stringify({ sealing_keys: [{ id: 'é', key }] })],
  ['one id twice', JSON.stringify({ sealing_keys: [...good, ...good] })],
]
test('a secrets file of an earlier release, which holds peppers too, is read', async (t) => {
  const path = join(await dataFolder(t), 'secrets.json')
  await writeFile(path, JSON.stringify({ sealing_keys: good, peppers: good }))
  assert.deepEqual(openSecretsFile(path, false), { sealing_keys: [{ id: 'a', key: Buffer.from(key, 'base64') }] })
})

for (const [what, content] of broken) {
  test(`a secrets file with ${what} is refused in words that hold no secret`, async (t) => {
    const path = join(await dataFolder(t), 'secrets.json')
    await writeFile(path, content)
    assert.throws(
      () => openSecretsFile(path, true),
      (error: Error) =>
        /^the secrets file .*(is not JSON|needs sealing_keys)/.test(error.message) &&
        !error.message.includes(key.slice(0, 8)),
    )
    assert.equal(await readFile(path, 'utf8'), content)
  })
}
