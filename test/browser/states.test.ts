import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { type Business, useBusiness } from './support/business.ts'
import { button, heading } from './support/developer.ts'
import { settled } from './support/find.ts'
import { look } from './support/look.ts'
import { furnish, pathOf } from './support/places.ts'
import { asWorker, offered } from './support/worker.ts'

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
  [problem(409, 'invalid_state', 'It is being moved.'), 'It is being moved'],
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

/** Lists within pages, whose own request is refused while the page around them is there. */
const inner: readonly [path: string, asked: string][] = [
  ['/webhooks/{webhook}', '/webhooks/*/deliveries'],
  ['/webhooks/{webhook}?tab=events', '/webhooks/events'],
  ['/webhooks/{webhook}?tab=replays', '/webhooks/*/replays'],
  ['/webhooks/{webhook}?tab=keys', '/webhooks/*/signing-keys'],
  ['/contracts/{active}?tab=amendments', '/contracts/*/amendments'],
  ['/contracts/{active}?tab=timesheets', '/timesheets'],
  ['/contracts/{active}?tab=adjustments', '/invoice-adjustments'],
  ['/contracts/{active}?tab=cycles', '/contracts/*/payment-cycles'],
  ['/contracts/{active}?tab=events', '/events'],
  ['/people/{person}?tab=contracts', '/contracts'],
  ['/people/{person}?tab=time-off', '/people/*/time-off-entitlements'],
  ['/people/{person}?tab=events', '/events'],
  ['/payments/{payment}', '/payments/*/breakdown'],
  ['/invoices/cycles?contract={active}', '/contracts/*/payment-cycles'],
  ['/invoices/new?contract={active}', '/timesheets'],
  ['/ledger?tab=accounts', '/ledger/accounts'],
  ['/ledger?tab=transactions', '/ledger/transactions'],
  ['/structure?view=teams', '/teams'],
  ['/structure?view=legal-entities', '/legal-entities'],
  ['/structure?view=working-locations', '/working-locations'],
  ['/structure?view=fields', '/custom-fields'],
  ['/time-off?view=policies', '/time-off-policies'],
  ['/provisioning?tab=requests', '/request-logs'],
  ['/provisioning?tab=people', '/people'],
]

/** The page says of each refusal what it is; asked again when told to, it shows what is there. */
async function showRefusals(page: Page, path: string, asked = '/**'): Promise<void> {
  let answer = refusals[0]?.[0]
  const within = (url: URL) => isAsked(url, asked)
  await page.route(within, (route) => (answer ? answer(route) : route.continue()))
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
}

/** True of a call of the API at this path, in which a star stands for one segment and two for the rest. */
function isAsked({ pathname }: URL, asked: string): boolean {
  const pattern = asked.replaceAll('**', '.+').replaceAll(/(?<!\.)\*/g, '[^/]+')
  return new RegExp(`^/console/rest/v2${pattern}$`).test(pathname)
}

/** While the answer is waited for the page says so, and what comes then tells what it is for. */
async function showWaiting(page: Page, path: string, asked = '/**'): Promise<void> {
  const waiting: Route[] = []
  let isHeld = true
  const within = (url: URL) => isAsked(url, asked)
  await page.route(within, (route) => (isHeld ? void waiting.push(route) : route.continue()))
  await page.goto(`/console${path}`)
  await page.locator('main [aria-busy="true"]').first().waitFor()
  await heading(page, /./).first().waitFor()
  isHeld = false
  for (const route of waiting) await route.continue()
  await settled(page)
  const text = (await page.locator('main').innerText()).trim()
  assert.ok(text.length > 40, text)
  await page.unrouteAll({ behavior: 'wait' })
}

test('every page of the navigation says why it has nothing to show, and asks again when told to', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/')
  for (const path of await pathsOf(page)) await t.test(path, () => showRefusals(page, path))
})

test('while a page waits it says so, and an empty one says what it is for', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/')
  for (const path of await pathsOf(page)) await t.test(path, () => showWaiting(page, path))
})

test('every list within a page waits, is refused and comes by itself', async (t) => {
  const console = await business.start(t)
  const ids = await furnish(console)
  const { page } = await console.visit('/')
  for (const [template, asked] of inner) {
    await t.test(template, async () => {
      const path = pathOf(template, ids)
      await showWaiting(page, path, asked)
      await showRefusals(page, path, asked)
    })
  }
})

test('what stands above a list without being waited for says its refusal too', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/')
  await showRefusals(page, '/members', '/members/invitations')
})

test('every page of a worker waits, is refused and comes by itself', async (t) => {
  const console = await business.start(t, { is_sandbox: false })
  const contract = await offered(console)
  const { page } = await asWorker(t, console, contract)
  for (const path of [
    '',
    `/contracts/${contract.id}`,
    '/hours',
    '/expenses',
    '/invoices',
    '/time-off',
    '/payout',
    '/profile',
  ]) {
    await t.test(`/worker${path}`, async () => {
      await showWaiting(page, `/worker${path}`)
      await showRefusals(page, `/worker${path}`)
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
