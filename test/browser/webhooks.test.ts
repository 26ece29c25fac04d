import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { noteSecret } from '#test/secrets.ts'
import { assertNoFaults } from './support/console.ts'
import { broken, button, type Developer, heading, hurry, useDeveloper } from './support/developer.ts'
import { copied, dialog, rowsOf } from './support/find.ts'
import { look } from './support/look.ts'

const developer = useDeveloper()

/** The way in which a snippet is told what it is to judge; languages that this machine lacks are left out, Node.js never is. */
const languages = {
  'Node.js': {
    program: process.execPath,
    file: 'receiver.mjs',
    whole: (snippet: string) => `${snippet}
import { readFileSync } from 'node:fs'
console.log(isGenuine(readFileSync(process.argv[2]), process.argv[3], process.argv[4]))`,
  },
  Python: {
    program: 'python3',
    file: 'receiver.py',
    whole: (snippet: string) => `${snippet}
import sys
print(str(is_genuine(open(sys.argv[1], "rb").read(), sys.argv[2], sys.argv[3])).lower())`,
  },
  PHP: {
    program: 'php',
    file: 'receiver.php',
    whole: (snippet: string) => `<?php
${snippet}
echo json_encode(is_genuine(file_get_contents($argv[1]), $argv[2], $argv[3]));`,
  },
  Go: {
    program: 'go',
    file: 'receiver.go',
    whole: (snippet: string) => `package main
import ("crypto/hmac"; "crypto/sha256"; "encoding/hex"; "fmt"; "os")
${snippet}
func main() { body, _ := os.ReadFile(os.Args[1]); fmt.Println(isGenuine(body, os.Args[2], os.Args[3])) }`,
  },
}
type Language = keyof typeof languages

/** The verdict of the snippet on a body, run as a program of its language; null where the machine has no such program. */
async function judged(t: TestContext, language: Language, snippet: string, given: [Buffer, string, string]) {
  const { program, file, whole } = languages[language]
  const [body, ...words] = given
  const folder = await mkdtemp(join(tmpdir(), 'stint-snippet-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [code, bytes] = [join(folder, file), join(folder, 'body')]
  await writeFile(code, whole(snippet))
  await writeFile(bytes, body)
  const command = [...(language === 'Go' ? ['run'] : []), code, bytes, ...words]
  const { stdout, stderr, error } = spawnSync(program, command, { encoding: 'utf8' })
  if (error && language !== 'Node.js') return null
  assert.match(stdout.trim(), /^(true|false)$/, stderr)
  return stdout.trim()
}

test('8.4 a new webhook: refused addresses stand at the field, the key is shown once, and a simulated event verifies by each copied snippet', async (t) => {
  const console = await developer.start(t)
  const opened = await console.visit('/webhooks/new', 'developer')
  const { page } = opened
  await page.getByLabel('Search event types').fill('contract.created')
  await page.getByLabel('contract.created').check()
  for (const [url, words] of [
    ['http://receiver.example.org/', /must begin with https/],
    ['https://10.0.0.1/hook', /private|WEBHOOK_ALLOWED_NETWORKS/],
  ] as const) {
    await page.getByLabel('URL of the receiver').fill(url)
    await button(page, 'Create webhook').click()
    await page
      .locator('.field', { has: page.getByLabel('URL of the receiver') })
      .getByText(words)
      .waitFor()
    await page.locator('input[type=url][aria-invalid=true]:focus').waitFor()
  }
  await page.getByLabel('URL of the receiver').fill(console.receiver.url)
  await button(page, 'Create webhook').click()
  await heading(page, 'The signing key').waitFor()
  const key = noteSecret((await page.getByRole('group', { name: 'signing key' }).textContent()) ?? '')
  const snippets = new Map<Language, string>()
  // The cast holds because an object has its keys.
  for (const language of Object.keys(languages) as Language[]) {
    await page.getByRole('radio', { name: language }).check()
    snippets.set(language, await copied(page, button(page, `Copy check of the signature in ${language}`)))
  }
  await button(page, 'I have saved it').click()
  await button(page, 'Simulate').click()
  await page.getByText('On its way').waitFor()
  await console.send()
  const [sent] = await console.receiver.waitFor(1)
  const signature = String(sent?.headers['x-service-signature'])
  const body = sent?.body ?? Buffer.alloc(0)
  for (const [language, snippet] of snippets) {
    const verdict = await judged(t, language, snippet, [body, signature, key])
    t.diagnostic(`${language}: ${verdict ?? 'not on this machine'}`)
    if (verdict === null) continue
    assert.equal(verdict, 'true', language)
    const altered = Buffer.concat([body, Buffer.from(' ')])
    assert.equal(await judged(t, language, snippet, [altered, signature, key]), 'false', language)
  }
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !/status of 422/.test(fault)) })
})

/** So many events that the receiver refused in every attempt. */
async function failed(console: Developer, webhook_id: string, count: number): Promise<void> {
  const { total_count: before } = await failures(console, webhook_id)
  console.receiver.script(...Array.from({ length: 2 * count }, broken))
  for (let made = 0; made < count; made += 1) {
    const name = `Team ${before + made}`
    assert.equal((await console.call('POST', '/teams', { body: { name } })).status, 201)
  }
  for (let rounds = 0; rounds < 20 && (await failures(console, webhook_id)).total_count < before + count; rounds += 1) {
    await console.send(1)
  }
  // A replay takes what was recorded before it.
  await console.clock.advance(1_000)
}

const failures = async (console: Developer, webhook_id: string) =>
  (await console.call('GET', `/webhooks/${webhook_id}/deliveries?statuses=failed`)).body

test('8.10 replay: 30 that failed are counted, sent and arrive once more each; another one is cancelled midway', async (t) => {
  const settings = { WEBHOOK_RETRY_SCHEDULE: '1s', WEBHOOK_DISABLE_AFTER: '1000', WEBHOOK_RELEASE_RATE: '10' }
  const console = await developer.start(t, { settings })
  const { id } = await console.subscribe({ events: ['team.created'] })
  await failed(console, id, 30)
  const opened = await console.visit(`/webhooks/${id}`, 'developer', { is_hurried: true })
  const { page } = opened
  await button(page, 'Replay…').click()
  await dialog(page).getByText('30 deliveries will be sent').waitFor()
  await button(page, 'Start replay').click()
  const [newest] = [rowsOf(page, 'Replays').first()]
  await newest.getByText('queued').waitFor()
  const before = console.receiver.requests.length
  await console.send(4)
  await hurry(page)
  await newest.getByText('completed').waitFor()
  assert.deepEqual((await newest.locator('td.number').allTextContents()).slice(0, 2), ['30', '30'])
  const arrived = console.receiver.requests.slice(before).map(({ body }) => JSON.parse(String(body)).data.meta.event_id)
  assert.deepEqual([arrived.length, new Set(arrived).size], [30, 30])

  await failed(console, id, 30)
  await button(page, 'New replay').click()
  await dialog(page).getByText('60 deliveries will be sent, less what has arrived since').waitFor()
  await button(page, 'Start replay').click()
  await newest.getByText('queued').waitFor()
  await console.send()
  await hurry(page)
  await newest.getByText('running').waitFor()
  await button(page, 'Cancel replay').click()
  await look(opened, 'replay-cancel-dialog')
  await dialog(page).getByRole('button', { name: 'Cancel replay' }).click()
  await newest.getByText('cancelled').waitFor()
  const sent = console.receiver.requests.length
  await console.send(4)
  assert.equal(console.receiver.requests.length, sent, 'nothing more is sent')
  assert.deepEqual((await console.call('GET', `/webhooks/${id}/deliveries?origins=replay`)).body.total_count, 40)
})
