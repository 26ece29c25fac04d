import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usedDataFolder } from '#test/process.ts'
import { stint } from '#test/stint.ts'

test('the operator asks whether every promise holds, and is told what cannot be released', async (t) => {
  const data_dir = await usedDataFolder(t)
  const environment = { STINT_DATA_DIR: data_dir }
  const checked = await stint(['webhooks', 'check'], environment)
  assert.equal(checked.status, 0, checked.error)
  assert.equal(checked.out.match(/^holds {3}/gm)?.length, 7)
  const told = await stint(['webhooks', 'check', '--hours', '1', '--json'], environment)
  assert.deepEqual(new Set(JSON.parse(told.out).map(({ count }: { count: number }) => count)), new Set([0]))
  const id = '019cadd4-c134-7a0c-8e1f-27b9c3d45e60'
  const released = await stint(['webhooks', 'release', id], environment)
  assert.deepEqual([released.status, released.error], [1, `stint webhooks release: no delivery ${id} is held\n`])
})

test('wrong calls of the webhook commands say how they are right', async () => {
  for (const words of [['check', '--hours', '0'], ['check', '--hours', 'x'], ['release'], ['release', 'x']]) {
    const { status, error } = await stint(['webhooks', ...words])
    assert.equal(status, 2, words.join(' '))
    assert.match(error, /--help/)
  }
})
