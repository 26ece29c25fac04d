import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('../scripts/test.ts', import.meta.url))
const passes = "import { test } from 'node:test'\ntest('one', () => undefined)\n"

test('a file that fails while it is loaded fails the run, also behind a test that passes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stint-runner-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'loaded.test.ts')
  const ran = async (text: string) => {
    await writeFile(path, text)
    const { status, stdout } = spawnSync(process.execPath, [runner, path], { encoding: 'utf8' })
    return { status, failures: /^ℹ fail (\d+)$/m.exec(stdout)?.[1] }
  }
  assert.deepEqual(await ran(passes), { status: 0, failures: '0' })
  assert.deepEqual(await ran(`${passes}throw new Error('not loaded')\n`), { status: 1, failures: '1' })
})
