import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createContract } from '#test/factories.ts'
import { dataFolder, stint } from '#test/stint.ts'
import { signIn, useBrowser } from './support/console.ts'

const email = 'nora@harbour.example'
const program = fileURLToPath(new URL('../../cli/stint.js', import.meta.url))
const browser = useBrowser()

test('5.2 `stint login --web`: from the terminal to the browser and back, and the next command acts as the person', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  await createContract(console)
  const environment = { XDG_CONFIG_HOME: await dataFolder(t) }
  const words = ['login', '--url', console.origin, '--ca-file', console.ca_file, '--web']
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  let address: string | undefined
  for await (const line of createInterface(child.stderr)) {
    address = /^https:\/\/\S+$/.exec(line)?.[0]
    if (address) break
  }
  const { page } = await console.open(t)
  await page.goto(address ?? assert.fail('no address was printed'))
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  await page.getByText('Stint command line').waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Back to the terminal: this page can be closed.').waitFor()
  assert.deepEqual(await ended, [0, null])
  const listed = await stint(['contracts', 'list', '--json'], environment)
  assert.equal(JSON.parse(listed.out).data.length, 1, listed.error)
})
