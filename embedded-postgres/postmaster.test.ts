import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { boundLog, openLog, sizeOfLog, tailOfLog } from './postmaster.ts'

async function newLog(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'stint-log-'))
  const path = join(folder, 'postgres.log')
  const handle = await openLog(path)
  t.after(async () => {
    await handle.close()
    await rm(folder, { recursive: true })
  })
  return { path, handle }
}

const line = `${'x'.repeat(1023)}\n`

test('a log beyond 8 MiB moves aside while the server keeps writing to it', async (t) => {
  const { path, handle } = await newLog(t)
  for (const round of ['older', 'newer']) {
    await handle.write(`${round}\n${line.repeat(8 * 1024)}`)
    await boundLog(path)
    assert.equal(await sizeOfLog(path), 0)
    assert.equal((await readFile(`${path}.1`, 'utf8')).slice(0, 5), round)
  }
  await handle.write('after\n')
  assert.equal(await readFile(path, 'utf8'), 'after\n')
  assert.equal((await stat(`${path}.1`)).mode & 0o777, 0o600)
})

test('a log within the bound stays whole', async (t) => {
  const { path, handle } = await newLog(t)
  await handle.write(line)
  await boundLog(path)
  assert.equal(await readFile(path, 'utf8'), line)
})

test('the tail holds the last 20 lines, and none from before', async (t) => {
  const { path, handle } = await newLog(t)
  await handle.write('yesterday\n')
  const since = await sizeOfLog(path)
  assert.equal(await tailOfLog(path, since), '')
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  await handle.write(`${lines.slice(0, 5).join('\n')}\n`)
  assert.equal(await tailOfLog(path, since), lines.slice(0, 5).join('\n'))
  await handle.write(`${lines.slice(5).join('\n')}\n`)
  assert.equal(await tailOfLog(path, since), lines.slice(10).join('\n'))
})

test('a log that is not there yet has no bytes', async () => {
  assert.equal(await sizeOfLog(join(tmpdir(), 'stint-no-such-folder', 'postgres.log')), 0)
})
