import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { launchChromium, unpackChromium } from './support/chromium.ts'

const skip = process.env.CHROMIUM_PATH ? 'CHROMIUM_PATH names another browser' : false

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-chromium-test-'))
  // A browser that has been told to close still writes.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
  return folder
}

test('the browser has its fonts on a machine with an empty home and an empty folder for temporary files', {
  skip,
}, async (t) => {
  for (const name of ['HOME', 'TMPDIR']) {
    const before = process.env[name]
    process.env[name] = await emptyFolder(t)
    t.after(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
  const browser = await launchChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.setContent('<p style="font-family: system-ui, sans-serif">Harbour</p>')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('DOM.enable')
  await devtools.send('CSS.enable')
  const { root } = await devtools.send('DOM.getDocument')
  const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' })
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId })
  assert.deepEqual(
    fonts.map(({ familyName, glyphCount }) => [familyName, glyphCount]),
    [['Open Sans', 7]],
  )
  const left = await readdir(tmpdir())
  assert.ok(
    left.every((name) => name.startsWith('playwright')),
    left.join(' '),
  )
  await browser.close()
})

test('a browser whose unpacking was killed is unpacked again, and what is left of it goes away', {
  skip,
}, async (t) => {
  const cache = await emptyFolder(t)
  const { program } = await unpackChromium()
  const name = program.split(/[/\\]/).at(-2)
  const ended = spawn(process.execPath, ['--eval', '0'])
  await once(ended, 'exit')
  const half = join(cache, `${name}.${ended.pid}`)
  await mkdir(half)
  await writeFile(join(half, 'chromium'), 'half of it')
  const unpacked = await unpackChromium(cache)
  assert.deepEqual(await readdir(cache), [name])
  for (const path of Object.values(unpacked)) assert.ok(existsSync(path), path)
})
