import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBusiness } from './support/business.ts'
import { button, heading } from './support/developer.ts'
import { begun, rowsOf } from './support/find.ts'
import { look } from './support/look.ts'

const business = useBusiness()

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')
const at = (page: Page, path: string) => page.waitForURL(`**/console${path}`)
/** Enter takes this one. */
const isNext = (page: Page, name: string) =>
  page.locator('[role=option][data-highlighted]', { hasText: name }).waitFor()

test('the palette goes to pages, to what can be made and to people by name, and gives the focus back', async (t) => {
  const console = await business.start(t)
  const person = await console.person({ first_name: 'Ilse', last_name: 'Okafor' })
  const opened = await console.visit('/')
  const { page } = opened
  await button(page, 'Go to… Ctrl K').focus()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Page, person, contract or invoice number' })
  await field.waitFor()
  await page.getByRole('option', { name: 'New webhook' }).waitFor()
  await look(opened, 'palette-dialog')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.locator('button:focus', { hasText: 'Go to… Ctrl K' }).waitFor()
  const type = async (text: string) => {
    await page.keyboard.press('Control+k')
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(text)
  }
  await type('event ty')
  await isNext(page, 'Event types')
  await page.keyboard.press('Enter')
  await at(page, '/event-types')
  await begun(page, 'Event types')
  await type('okafor')
  await isNext(page, 'Ilse Okafor')
  await page.keyboard.press('Enter')
  await at(page, `/people/${person.id}`)
})

test('single keys go to pages, create, search and walk the rows, until they are switched off', async (t) => {
  const console = await business.start(t)
  for (const name of ['Payroll', 'Data warehouse']) await console.subscribe({ name })
  const opened = await console.visit('/')
  const { page } = opened
  const toWebhooks = async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await begun(page, 'Webhooks')
    await rowsOf(page, 'Webhooks').first().waitFor()
  }
  await begun(page)
  await toWebhooks()
  await at(page, '/webhooks')
  // The newest first.
  const walked: string[] = []
  for (const key of ['j', 'j', 'j', 'k']) {
    await page.keyboard.press(key)
    walked.push(await focused(page))
  }
  assert.deepEqual(walked, ['Data warehouse', 'Payroll', 'Payroll', 'Data warehouse'])
  await page.keyboard.press('Enter')
  await begun(page, 'Data warehouse')
  await toWebhooks()
  await page.keyboard.press('c')
  await begun(page, 'New webhook')
  const search = page.getByLabel('Search event types')
  await search.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('g?c/')
  assert.equal(await search.inputValue(), 'g?c/')
  await heading(page, 'New webhook').click()
  await page.keyboard.press('?')
  await heading(page, 'Keys').waitFor()
  await look(opened, 'keys-dialog')
  await page.getByLabel('Single keys').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'New webhook' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 1)
  assert.equal(new URL(page.url()).pathname, '/console/webhooks/new')
})
