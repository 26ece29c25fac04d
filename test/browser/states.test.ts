import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { type Business, useBusiness } from './support/business.ts'
import { button, heading } from './support/developer.ts'
import { settled } from './support/find.ts'
import { look } from './support/look.ts'

const business = useBusiness()
const api = '**/console/rest/v2/**'

const problem =
  (status: number, code: string, detail: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      ...{ status, headers, contentType: 'application/problem+json' },
      json: { status, code, detail, title: detail, request_id: 'req-1' },
    })

/** Answers of the service, and the words that a page has for them. */
const refusals: readonly [answer: (route: Route) => Promise<void>, words: string | RegExp][] = [
  [problem(500, 'internal_error', 'Something went wrong on our side.'), 'req-1'],
  [problem(429, 'rate_limited', 'Too many requests.', { 'Retry-After': '30' }), /Try again in \d+ s/],
  [problem(403, 'insufficient_scope', 'Your role does not allow this any more.'), 'does not allow this'],
  [(route) => route.abort('internetdisconnected'), 'could not be reached'],
]

/** Every page of the navigation, as an owner has it. */
async function pathsOf(page: Page): Promise<string[]> {
  const paths = await page
    .locator('nav.side a[href^="/console"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.replace('/console', '') || '/'))
  assert.ok(paths.length >= 6, paths.join())
  return paths
}

test('every page of the navigation says why it has nothing to show, and asks again when told to', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/')
  for (const path of await pathsOf(page)) {
    await t.test(path, async () => {
      let answer = refusals[0]?.[0]
      await page.route(api, (route) => (answer ? answer(route) : route.continue()))
      await page.goto(`/console${path}`)
      for (const [next, words] of refusals) {
        answer = next
        if (next !== refusals[0]?.[0]) await button(page, 'Try again').first().click()
        await page.getByRole('alert').getByText(words).first().waitFor()
      }
      answer = undefined
      // Several parts of a page are asked for again one by one.
      const again = button(page, 'Try again')
      for (let left = await again.count(); left > 0; left = await again.count()) {
        const last = again.nth(left - 1)
        await last.click()
        await last.waitFor({ state: 'detached' })
      }
      assert.equal(await page.getByRole('alert').count(), 0)
      await page.unrouteAll({ behavior: 'wait' })
    })
  }
})

test('while a page waits it says so, and an empty one says what it is for', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/')
  for (const path of await pathsOf(page)) {
    await t.test(path, async () => {
      const waiting: Route[] = []
      let isHeld = true
      await page.route(api, (route) => (isHeld ? void waiting.push(route) : route.continue()))
      await page.goto(`/console${path}`)
      await page.locator('main [aria-busy="true"]').first().waitFor()
      await heading(page, /./).first().waitFor()
      isHeld = false
      for (const route of waiting) await route.continue()
      await settled(page)
      const text = (await page.locator('main').innerText()).trim()
      assert.ok(text.length > 40, text)
      await page.unrouteAll({ behavior: 'wait' })
    })
  }
})

const dialogOf = async (console: Business) => {
  const token = await console.cause('Payroll export')
  const opened = await console.visit('/tokens')
  await opened.page.getByRole('button', { name: 'Revoke Payroll export' }).click()
  await opened.page.getByLabel('Type Payroll export').fill('Payroll export')
  return { token, opened }
}

test('what somebody else was faster with is said in the dialog, with what was typed kept', async (t) => {
  const console = await business.start(t)
  const { opened } = await dialogOf(console)
  const { page } = opened
  let reads = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/rest/v2/api-tokens')) reads += 1
  })
  const refuse = problem(409, 'invalid_state', 'The token is revoked already.')
  await page.route(api, (route) => (route.request().method() === 'GET' ? route.continue() : refuse(route)))
  await button(page, 'Revoke token').click()
  await page.getByText('This has changed meanwhile.').waitFor()
  await look(opened, 'changed-meanwhile-dialog')
  assert.equal(await page.getByLabel('Type Payroll export').inputValue(), 'Payroll export')
  assert.ok(reads > 0, 'the page behind is asked again')
})

test('without a connection a banner says so and nothing is sent', async (t) => {
  const console = await business.start(t)
  const { opened } = await dialogOf(console)
  const { page, context } = opened
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
  })
  await context.setOffline(true)
  const banner = page.getByRole('dialog').getByText('You are offline.')
  await banner.waitFor()
  await look(opened, 'offline-dialog')
  await page.getByLabel('Type Payroll export').press('Enter')
  await page.getByLabel('Type Payroll export').press('Enter')
  assert.deepEqual(sent, [])
  await context.setOffline(false)
  await banner.waitFor({ state: 'detached' })
  await button(page, 'Revoke token').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // While the service restarts, a page whose code has not come yet waits for it, and then comes by itself.
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('heading', { name: 'Stint does not answer' }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('heading', { name: 'Nothing was booked by then' }).waitFor()
})
