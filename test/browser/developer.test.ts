import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { noteSecret } from '#test/secrets.ts'
import { verifies } from '#test/verifies.ts'
import { stored_values } from './support/always.ts'
import { assertNoFaults, password } from './support/console.ts'
import { broken, button, type Developer, email, heading, hurry, useDeveloper } from './support/developer.ts'
import { begun, copied, rowsOf } from './support/find.ts'
import { strangeRequests } from './support/parity.ts'

const developer = useDeveloper()

const stored = (page: Page): Promise<string> =>
  page.evaluate<string>(`JSON.stringify([document.documentElement.outerHTML, ${stored_values}, location.href])`)

/** The steps of a program on the first page. */
const firstEvent = (page: Page) => page.getByRole('region', { name: 'Your first event' })

/** The value in the open dialog, which has to be gone after it. */
async function secretShown(page: Page, what: string): Promise<string> {
  const secret = (await page.getByRole('group', { name: what, exact: true }).textContent()) ?? ''
  return noteSecret(secret)
}

async function leaveSecret(page: Page, secret: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('Close without having saved').waitFor()
  await button(page, 'Go back').click()
  await button(page, 'I have saved it').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.ok(!(await stored(page)).includes(secret), 'the value is still in the page')
}

/** One call with a token, as a program would make it. */
const call = (console: Developer, token: string, path = '/organizations') => console.call('GET', path, { token })

test('the story of a developer, in the browser alone, from the set-up link to held deliveries that arrive', async (t) => {
  const console = await developer.start(t)
  const opened = await console.open(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = opened
  await page.clock.install()
  await page.goto(`/console/set-up#${await console.makeLink()}`)
  await page.getByLabel('Your name').fill('Nora Pine')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Organization').fill('Harbour Pine')
  await button(page, 'Create organization and sign in').click()

  // 8.1: a fresh organization shows four open steps.
  await firstEvent(page).locator('li').nth(3).waitFor()
  assert.deepEqual(
    [await firstEvent(page).locator('li').count(), await firstEvent(page).locator('li.done').count()],
    [4, 0],
  )
  await page.getByRole('link', { name: 'Create a token' }).click()

  // 8.3 and 5.1: a token with scopes and sensitive data, shown once.
  await heading(page, 'New API token').waitFor()
  await page.getByLabel('Name').fill('Payroll export')
  await page.getByRole('group', { name: 'Organizations' }).getByLabel('Read').check()
  await page.getByRole('group', { name: 'Tokens' }).getByLabel('Write').check()
  await page.getByLabel('Bank accounts').check()
  await button(page, 'Create token').click()
  await heading(page, 'Your new token').waitFor()
  const token = await secretShown(page, 'token')
  assert.equal(await copied(page, page.getByRole('button', { name: 'Copy token' })), token)
  await leaveSecret(page, token)
  verifies('5.1.console').equal((await call(console, token)).status, 200)
  assert.equal((await call(console, token, '/contracts')).status, 403)
  const listed = (await call(console, token, '/api-tokens')).body.data[0]
  assert.deepEqual([listed.scopes, listed.sensitive_data], [['organizations:read', 'tokens:write'], ['bank_details']])

  // 4.3: a subscription; what is wrong with its address stands at the field.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('link', { name: 'Create the first webhook' }).click()
  await page.getByLabel('URL of the receiver').fill('http://receiver.example.org/')
  await page.getByLabel('Search event types').fill('api-token.created')
  await page.getByLabel('api-token.created').check()
  await button(page, 'Create webhook').click()
  await page.locator('.fault').waitFor()
  await page.locator('input[type=url]:focus').waitFor()
  await page.getByLabel('URL of the receiver').fill('https://10.0.0.1/hook')
  await button(page, 'Create webhook').click()
  await page.getByText('WEBHOOK_ALLOWED_NETWORKS').waitFor()
  await page.getByLabel('URL of the receiver').fill(console.receiver.url)
  await button(page, 'Create webhook').click()
  await heading(page, 'The signing key').waitFor()
  const signing_key = await secretShown(page, 'signing key')
  await leaveSecret(page, signing_key)

  // 6.4: simulated from the expanded event type; the attempt comes in place.
  await page.getByText('10 of 10 simulations left this hour').waitFor()
  await button(page, 'Simulate').click()
  await page.getByText('On its way').waitFor()
  await console.send()
  await hurry(page)
  await page.getByText('The receiver answered 200').waitFor()
  await page.getByText('9 of 10 simulations left this hour').waitFor()
  const [simulated] = await console.receiver.waitFor(1)
  const { meta } = JSON.parse(String(simulated?.body)).data
  verifies('6.4.console').deepEqual([meta.event_type, meta.is_simulation], ['api-token.created', true])
  assert.equal(simulated?.headers['x-service-signature'], signatureOf(simulated?.body, signing_key))

  // 8.5: with the list open a new event appears by itself, with its attempts and timings.
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  const rows = rowsOf(page, 'Deliveries')
  await rows.first().waitFor()
  assert.equal(await rows.count(), 1)
  const cause = async (name: string) => {
    const { status } = await console.call('POST', '/api-tokens', { token, body: { name, scopes: ['tokens:read'] } })
    assert.equal(status, 201)
  }
  console.receiver.script(...Array.from({ length: 11 }, broken))
  await cause('First')
  await rows.nth(1).waitFor()
  await console.send()
  await rows.first().getByText('retry 1').waitFor()
  await rows.first().getByRole('link').click()
  await page.locator('.timeline > li.failed').waitFor()
  await page.locator('.timeline').getByText('HTTP 503').first().waitFor()
  await page.locator('.timing').getByText('First byte').waitFor()
  await page.locator('.timeline').getByText('database is away').waitFor()

  // 8.8: retries, a warning from the fifth failure on, and the banner that says why it is disabled.
  await console.send(4)
  await hurry(page)
  await page.locator('.timeline > li').nth(4).waitFor()
  await page.keyboard.press('Escape')
  await hurry(page)
  await page.getByText('5 failures in a row').waitFor()
  await console.send(6)
  await hurry(page)
  await page.getByText('Disabled because deliveries kept failing').waitFor()
  await cause('Second')
  await cause('Third')
  await hurry(page)
  await page.getByText('2 deliveries are held').waitFor()
  await page
    .locator('.state-banner')
    .filter({ hasText: /Last error .*HTTP 503/ })
    .waitFor()
  await button(page, 'Show held deliveries').click()
  await page.getByText('2 deliveries', { exact: true }).waitFor()

  // 3.1: re-enabled, and every held delivery arrives once.
  await button(page, 'Re-enable').click()
  await page.getByRole('dialog').getByLabel('Send them').waitFor()
  // The event that broke it is not forgotten; whether it is sent again is for a person to say.
  await page.getByRole('dialog').getByText('Send the 1 failed delivery again too').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Re-enable' }).click()
  await page.getByText('Disabled because').waitFor({ state: 'detached' })
  await console.send(2)
  const arrived = (await console.receiver.waitFor(14)).slice(12).map(({ body }) => JSON.parse(String(body)))
  verifies('3.1.re-enable-console').deepEqual(
    arrived.map(({ data }) => data.resource[0].name),
    ['Second', 'Third'],
  )
  await page.getByLabel('Status').selectOption({ label: 'Succeeded' })
  await page.getByText('3 deliveries', { exact: true }).waitFor()
  // The browser itself reports the two refusals of the form.
  opened.faults.splice(0, opened.faults.length, ...opened.faults.filter((fault) => !fault.includes('status of 422')))
  assertNoFaults(opened)
})

const signatureOf = (body: Buffer | undefined, key: string) =>
  createHmac('sha256', key)
    .update('POST')
    .update(body ?? '')
    .digest('hex')

test('8.1 first steps tick by themselves, wherever they are done', async (t) => {
  const console = await developer.start(t)
  const { id: organization_id } = console.organization
  // The token that tests make in every organization is nobody's first.
  await console.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`delete from access_tokens where organization_id = ${organization_id}`),
  )
  const { page } = await console.visit('/', 'owner', { is_hurried: true })
  const done = firstEvent(page).locator('li.done')
  await firstEvent(page).locator('li').first().waitFor()
  assert.equal(await done.count(), 0)
  // Copied before there is a token, and run with it by a shell.
  const curl = await copied(page, button(page, 'Copy first call'))
  const token = await console.createToken(organization_id)
  await hurry(page)
  await done.first().waitFor()
  assert.equal(await statusOf(curl, console, token), 200)
  await hurry(page)
  await done.nth(1).waitFor()
  const body = { url: console.receiver.url, events: ['contract.created'] }
  const { body: webhook } = await console.call('POST', '/webhooks', { token, body })
  await hurry(page)
  await done.nth(2).waitFor()
  const simulation = { event_type: 'contract.created' }
  await console.call('POST', `/webhooks/${webhook.id}/simulate`, { token, body: simulation })
  await hurry(page)
  await firstEvent(page).waitFor({ state: 'detached' })
})

/** The status that a copied call is answered with by a shell; CI must have curl, elsewhere its address is called without. */
async function statusOf(curl: string, console: Developer, token: string): Promise<number> {
  assert.match(curl, /^curl \S+ \\\n {2}-H "Authorization: Bearer \$STINT_TOKEN"$/)
  const [, path = ''] = /\/rest\/v2(\S+)/.exec(curl) ?? []
  if (spawnSync('curl', ['--version']).error && !process.env.CI) return (await call(console, token, path)).status
  const environment = { ...process.env, CURL_CA_BUNDLE: console.ca_file, STINT_TOKEN: token }
  const words = ['-c', `${curl} -sS -o /dev/null -w '%{http_code}'`]
  return Number((await promisify(execFile)('sh', words, { env: environment })).stdout)
}

test('8.2 tokens: revoked by typing its name, and the next call with it is refused', async (t) => {
  const console = await developer.start(t)
  const { token } = await console.cause('Old export')
  const { page } = await console.visit('/tokens', 'developer')
  await page.getByRole('button', { name: 'Revoke Old export' }).click()
  const revoke = button(page, 'Revoke token')
  assert.equal(await revoke.isDisabled(), true)
  await page.getByLabel('Type Old export to go on').fill('Old export')
  await revoke.click()
  await page.getByText('revoked').waitFor()
  assert.match((await page.locator('tr.pale').textContent()) ?? '', /Old export.*revoked.*ago.*by Nora Pine/)
  assert.equal((await call(console, noteSecret(token))).status, 401)
})

test('8.3 a viewer makes a personal token by keyboard alone, with no more than the own role', async (t) => {
  const console = await developer.start(t)
  const { page } = await console.visit('/tokens/new', 'viewer')
  const key = (name: string) => page.keyboard.press(name)
  await begun(page, 'New API token')
  await key('Tab')
  await page.keyboard.type('My agent')
  await key('Tab')
  await key('Tab')
  await key('ArrowRight')
  const tabs_max = 30
  for (let tabs = 0; tabs < tabs_max; tabs += 1) {
    if ((await page.evaluate('document.activeElement.innerText')) === 'Create token') break
    await key('Tab')
  }
  await key('Enter')
  await heading(page, 'Your new token').waitFor()
  const token = await secretShown(page, 'token')
  assert.equal((await call(console, token, '/people')).status, 200)
  assert.equal((await call(console, token, '/contracts')).status, 403)
  assert.equal(await page.getByText('Write').count(), 0)
  await button(page, 'I have saved it').click()
  await page.getByText('personal', { exact: true }).waitFor()
})

test('8.3 a sign-in of long ago is asked for the password, and one that ended meanwhile, with the form kept', async (t) => {
  const console = await developer.start(t)
  const { page } = await console.visit('/tokens/new')
  await page.getByLabel('Name').fill('Payroll export')
  await page.getByRole('group', { name: 'People' }).getByLabel('Read').check()
  await console.clock.advance(11 * 60_000)
  await button(page, 'Create token').click()
  await heading(page, 'Confirm it is you').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Go on').click()
  await heading(page, 'Your new token').waitFor()
  noteSecret(await secretShown(page, 'token'))
  await button(page, 'I have saved it').click()
  await console.clock.advance(9 * 3_600_000)
  await page.getByLabel('Show').selectOption({ label: 'Personal' })
  await heading(page, 'Sign in again').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Go on').click()
  await page.getByText('Nothing fits these filters.').waitFor()
})

test('8.5 and 8.6 deliveries: paused they wait, resent they are told apart, and a reload shows the same', async (t) => {
  const console = await developer.start(t)
  const { id, signing_key } = await console.subscribe()
  console.receiver.script(broken())
  await console.cause()
  await console.send()
  const { page } = await console.visit(`/webhooks/${id}?type=api-token.created`, 'developer')
  const rows = rowsOf(page, 'Deliveries')
  await rows.first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await button(page, 'Pause').click()
  await console.cause()
  await button(page, '1 new').waitFor()
  assert.equal(await rows.count(), 1)
  await button(page, 'Go on').click()
  await rows.nth(1).waitFor()
  await console.send(1)
  await rows.nth(1).getByText('succeeded').waitFor()
  await rows.nth(1).getByRole('link').click()
  await page.locator('.timeline > li.succeeded').waitFor()
  assert.deepEqual([await page.locator('.timeline > li').count(), await page.locator('.timing').count()], [2, 2])
  await page.getByText('Request', { exact: true }).first().click()
  const curl = await copied(page, page.getByRole('button', { name: 'Copy as curl' }).first())
  const sent = /--data-raw '(.*)'$/s.exec(curl)?.[1]?.replaceAll("'\\''", "'") ?? ''
  assert.ok(curl.includes(`x-service-signature: ${signatureOf(Buffer.from(sent), noteSecret(signing_key))}`))
  await button(page, 'Resend once').click()
  await page.getByText('Repeats').waitFor()
  await console.send()
  await page.locator('.timeline > li.succeeded').waitFor()
  await page.keyboard.press('Escape')
  await rows.getByText('redelivery').waitFor()
  await page.reload()
  await rows.nth(2).waitFor()
  assert.equal(await rows.count(), 3)
  assert.equal(await page.getByLabel('Event type').inputValue(), 'api-token.created')
})

test('8.6 what a receiver answers is shown as text', async (t) => {
  const console = await developer.start(t)
  const { answer } = await import('#test/receiver.ts')
  const { id } = await console.subscribe()
  console.receiver.script(answer({ status: 500, body: '<img src=x onerror=alert(1)><b>no</b>' }))
  await console.cause()
  await console.send()
  const opened = await console.visit(`/webhooks/${id}`)
  await opened.page.locator('.table a').first().click()
  await opened.page.getByText('<img src=x onerror=alert(1)><b>no</b>').waitFor()
  assertNoFaults(opened)
})

test('8.7 simulate: ten are sent, the eleventh is off and says when the next can be', async (t) => {
  const console = await developer.start(t)
  const { id } = await console.subscribe({ events: ['contract.created'] })
  const { page } = await console.visit(`/webhooks/${id}?tab=events`, 'developer')
  for (let left = 10; left > 0; left -= 1) {
    await page.getByText(`${left} of 10 simulations left this hour`, { exact: true }).waitFor()
    await button(page, 'Simulate').click()
  }
  await page.getByText('No simulation left; the next one').waitFor()
  assert.equal(await button(page, 'Simulate').isDisabled(), true)
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByText('10 deliveries', { exact: true }).waitFor()
  assert.equal(await page.getByText('simulation', { exact: true }).count(), 10)
})

test('8.9 and 8.10 a rotated key signs the next delivery, and a replay sends what failed once more', async (t) => {
  const console = await developer.start(t)
  const { id } = await console.subscribe({ events: ['api-token.created'] })
  await console.cause()
  await console.send()
  const { page } = await console.visit(`/webhooks/${id}?tab=keys`, 'developer', { is_hurried: true })
  await button(page, 'Rotate key').click()
  await page.getByLabel('Label (optional)').fill('second-key')
  await button(page, 'Make the new key').click()
  await heading(page, 'The new signing key').waitFor()
  const key = await secretShown(page, 'signing key')
  await leaveSecret(page, key)
  await page.getByRole('link', { name: 'Replays' }).click()
  await button(page, 'New replay').click()
  await page.getByText('None fits.').waitFor()
  await page.getByLabel('Succeeded').check()
  await page.getByText('1 delivery will be sent').waitFor()
  // A replay takes what was recorded before it.
  await console.clock.advance(1_000)
  await button(page, 'Start replay').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await console.send(4)
  const [, again] = await console.receiver.waitFor(2)
  assert.equal(again?.headers['x-service-hmac-label'], 'second-key')
  assert.equal(again?.headers['x-service-signature'], signatureOf(again?.body, key))
  await hurry(page)
  await page.getByText('completed').waitFor()
})

test('8.11 every event type that can be subscribed is in the catalogue', async (t) => {
  const console = await developer.start(t)
  const { page } = await console.visit('/event-types', 'viewer')
  const { data } = (await console.call('GET', '/webhooks/events')).body
  await page.getByText(`${data.length} event types`).waitFor()
  const names = await page.locator('.expandable > li').evaluateAll((rows) => rows.map(({ id }) => id))
  assert.deepEqual(
    names,
    data.map(({ name }: { name: string }) => name),
  )
})

test('a page that asked for more than the public API would fail its test', async (t) => {
  const console = await developer.start(t)
  const document = (await console.app.inject('/openapi.json')).json()
  const asked = [
    { method: 'GET', path: '/console/rest/v2/webhooks' },
    { method: 'PATCH', path: '/console/rest/v2/webhooks/1' },
    { method: 'PUT', path: '/console/rest/v2/webhooks/1' },
    { method: 'GET', path: '/console/rest/v2/overview-for-pages' },
    { method: 'POST', path: '/console/auth/session' },
    { method: 'GET', path: '/console/data' },
  ]
  assert.deepEqual(strangeRequests(document, asked), [
    'PUT /console/rest/v2/webhooks/1',
    'GET /console/rest/v2/overview-for-pages',
    'GET /console/data',
  ])
})
