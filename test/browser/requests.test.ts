import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { assertNoFaults } from './support/console.ts'
import { broken, button, heading, useDeveloper } from './support/developer.ts'
import { copied, rowsOf, settled } from './support/find.ts'
import { listed, look } from './support/look.ts'

const developer = useDeveloper()

test('8.12 request log: a call that lacks a scope appears by itself as 403 with that scope, and no token is in row, detail or copy', async (t) => {
  const console = await developer.start(t)
  const opened = await console.visit('/requests', 'developer')
  const { page } = opened
  await heading(page, 'No request yet').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await look(opened, 'requests-empty')
  const token = await console.createToken(console.organization.id, { scopes: ['people:read'] })
  assert.equal((await console.call('GET', '/contracts', { token })).status, 403)
  const rows = rowsOf(page, 'Requests')
  await rows.first().waitFor()
  await rows
    .first()
    .filter({ hasText: /contracts\.list.*403 insufficient_scope.*needs contracts:read/ })
    .waitFor()
  await console.call('POST', '/api-tokens', { body: { name: token, made_up: 1 } })
  await rows.nth(1).waitFor()
  await look(opened, 'requests')

  await rows.nth(1).getByRole('link').click()
  await page.getByText('it needs contracts:read').waitFor()
  await page.getByText('authorization: [redacted]').waitFor()
  await look(opened, 'request-dialog')
  const copies = [await copied(page, button(page, 'Copy as curl call as curl'))]
  assert.match(copies[0] ?? '', /\/rest\/v2\/contracts .*Bearer \$STINT_TOKEN/s)
  await page.keyboard.press('Escape')
  const texts = [await page.content()]
  await rows.first().getByRole('link').click()
  await page.getByText('"made_up": "[redacted]"').waitFor()
  copies.push(await copied(page, button(page, 'Copy as curl call as curl')))
  texts.push(await page.content())
  await page.keyboard.press('Escape')
  for (const text of [...copies, ...texts]) assert.equal(text.includes(token.slice(0, 30)), false)

  await page.getByLabel('Error code').fill('validation_failed')
  await page.getByText('1 request', { exact: true }).waitFor()
  await page.getByLabel('Outcome').selectOption({ label: 'Succeeded' })
  await page.getByText('Nothing fits these filters.').waitFor()
  await button(page, 'Clear filters').click()
  await page.getByText('2 requests', { exact: true }).waitFor()
})

test('8.12 request log: paused it waits, a reload shows the same, and a viewer has no such page', async (t) => {
  const console = await developer.start(t)
  await console.call('GET', '/teams')
  await console.requests.flush()
  const { page } = await console.visit('/requests?operation=teams.list')
  const rows = rowsOf(page, 'Requests')
  await rows.first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await button(page, 'Pause').click()
  await console.call('GET', '/teams')
  await console.call('GET', '/departments')
  await button(page, '1 new').waitFor()
  assert.equal(await rows.count(), 1)
  await button(page, 'Go on').click()
  await rows.nth(1).waitFor()
  await page.reload()
  await rows.nth(1).waitFor()
  assert.equal(await page.getByLabel('Operation').inputValue(), 'teams.list')
  const viewer = await console.visit('/requests', 'viewer')
  await heading(viewer.page, 'Not with your role').waitFor()
  assert.equal(await viewer.page.getByRole('link', { name: 'Request log' }).count(), 0)
})

test('8.1 overview: requests and deliveries of a day by their end, and errors by operation lead to their requests', async (t) => {
  const console = await developer.start(t)
  const { id } = await console.subscribe()
  await console.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'contract.created' } })
  await console.send()
  for (const name of ['one', 'two']) await console.call('GET', `/teams/${name}`)
  await console.requests.flush()
  const opened = await console.visit('/', 'developer')
  const { page } = opened
  await heading(page, 'Last 24 hours').waitFor()
  await page.getByRole('link', { name: /^2\s*refused/ }).waitFor()
  await page.getByText('of 1 delivery failed').waitFor()
  await look(opened, 'home-day')
  await page.getByRole('link', { name: 'teams.get' }).click()
  await page.getByText('2 requests', { exact: true }).waitFor()
  const viewer = await console.visit('/', 'viewer')
  await heading(viewer.page, 'Last 24 hours').waitFor()
  assert.equal(await viewer.page.getByText('Errors by operation').count(), 0)
  assertNoFaults(viewer)
})

test('8.1 overview: deliveries that are late without a refusal are said to be the service’s own', async (t) => {
  const console = await developer.start(t)
  await console.subscribe()
  await console.cause()
  // Recorded, and sent by nobody.
  await createSequencer(console.database.database, console.runtime.log).runDue()
  const opened = await console.visit('/', 'developer', { is_hurried: true })
  const { page } = opened
  const banner = page.getByText('The service is not at its best.')
  await heading(page, 'Connect').waitFor()
  await settled(page)
  assert.equal(await banner.count(), 0)
  await page.clock.fastForward(20 * 60_000)
  await banner.waitFor()
  await page.getByText('Deliveries are late').waitFor()
  await look(opened, 'home-degraded')
})

test('8.6 two attempts are compared: what differs, and on demand what is the same', async (t) => {
  const console = await developer.start(t)
  const { id } = await console.subscribe()
  console.receiver.script(broken())
  await console.cause()
  await console.send(1)
  const opened = await console.visit(`/webhooks/${id}`)
  const { page } = opened
  await listed(page)
  await page.locator('.table a').first().click()
  await page.getByText('Compare two attempts').click()
  const compared = page.getByRole('table', { name: 'Comparison' })
  const row = (name: string) => compared.locator('tr', { has: page.getByRole('cell', { name, exact: true }) })
  await row('Answer status').getByText('503').waitFor()
  await row('Answer status').getByText('200').waitFor()
  await row('Answer body').getByText('database is away').waitFor()
  assert.equal(await row('Signed with').count(), 0)
  await page.getByLabel('Also what is the same').check()
  await row('Signed with').waitFor()
  await look(opened, 'compare-dialog')
  await page.getByLabel('Attempt', { exact: true }).selectOption({ label: 'Retry 1' })
  await page.getByLabel('Also what is the same').uncheck()
  await page.getByText('Nothing differs.').waitFor()
})

test('8.11 the schema of an event type is a tree of its fields, and its example fits it', async (t) => {
  const console = await developer.start(t)
  await console.subscribe({ name: 'Payroll', events: ['contract.created'] })
  const opened = await console.visit('/event-types?q=contract.created', 'developer')
  const { page } = opened
  await page.getByText('contract.created', { exact: true }).first().click()
  const tree = page.getByRole('list', { name: 'fields of contract.created' })
  await tree.getByText('resource', { exact: true }).waitFor()
  await tree.getByText('event_id', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Payroll' }).waitFor()
  await look(opened, 'event-type-tree')
  await tree.locator('summary', { hasText: 'meta' }).first().click()
  await tree.getByText('event_id', { exact: true }).waitFor({ state: 'hidden' })
})
