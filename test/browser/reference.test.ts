import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { openApiDocument } from '#surfaces/openapi/openapi-document.ts'
import { themes, violations } from './support/accessibility.ts'
import { stored_values } from './support/always.ts'
import { assertNoFaults, type OpenedBrowser, takePicture, useBrowser } from './support/console.ts'

const browser = useBrowser()

/** The probe that the vendor's script tries once, to see whether it may; the policy forbids it, which is expected. */
const eval_probe = 'policy: script-src eval'

/** Markup of the vendor that a style sheet cannot mend, by rule. */
const vendor_selectors: Record<string, RegExp> = {
  'label-content-name-mismatch': /class="show-more"/,
  'scrollable-region-focusable': /class="(endpoints"|scalar-card-content )/,
  'button-name': /class="group\/copy-button /,
}

function withoutProbe(opened: OpenedBrowser): OpenedBrowser {
  return { ...opened, faults: opened.faults.filter((fault) => fault !== eval_probe) }
}

async function openReference(page: Page): Promise<void> {
  await page.goto('/docs')
  await page.getByRole('heading', { name: 'Stint API', exact: true }).waitFor()
}

async function faultsOfOurs(page: Page, theme: (typeof themes)[number]): Promise<string[]> {
  const messages = (await violations(page, theme))
    .filter(({ id, html }) => !vendor_selectors[id]?.test(html))
    .map(({ id, html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary.slice(0, 200)}`)
  return [...new Set(messages)]
}

const pages: Record<string, (page: Page) => Promise<void>> = {
  problems: async (page) => void (await page.goto('/docs/problems')),
  problem: async (page) => void (await page.goto('/docs/problems/validation_failed')),
  settings: async (page) => void (await page.goto('/docs/settings')),
  operations: async (page) => void (await page.goto('/docs/operations')),
  'operation-page': async (page) => void (await page.goto('/docs/operations/contracts.create')),
  scopes: async (page) => void (await page.goto('/docs/scopes')),
  search: async (page) => {
    await page.goto('/docs/search')
    await page.getByLabel('Operations, events').fill('contract sign')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'contracts.sign', exact: true }).waitFor()
  },
  events: async (page) => {
    await page.goto('/docs/events#contract.created')
    await page.locator('[id="contract.created"] summary').click()
  },
  'tool-server': async (page) => void (await page.goto('/mcp')),
  'nothing-here': async (page) => void (await page.goto('/nothing-here')),
}
/** The opened page breaks nothing, in both themes and widths. */
async function assertFlawless(opened: OpenedBrowser, name: string): Promise<void> {
  const { page } = opened
  for (const colorScheme of themes) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await takePicture(page, `docs-${name}.${colorScheme}.${width}`)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${width} px`)
      assert.deepEqual(await faultsOfOurs(page, colorScheme), [], `${colorScheme} ${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  opened.faults.splice(0, opened.faults.length, ...opened.faults.filter((fault) => !/status of 404/.test(fault)))
  assertNoFaults(withoutProbe(opened))
}

const flawless = 'accessible, within its policy and without sideways scrolling, in both themes and widths'

test('the pages around the reference', async (t) => {
  const console = await browser.start(t)
  const opened = await console.open(t)
  for (const [name, open] of Object.entries(pages)) {
    await t.test(`11 ${name}: ${flawless}`, async () => {
      await open(opened.page)
      await assertFlawless(opened, name)
    })
  }
  assert.ok(!opened.faults.includes(eval_probe))
})

/** Loading it takes as much of the processor as all else that is looked at here. */
test('the reference, loaded once', async (t) => {
  const console = await browser.start(t)
  const opened = await console.open(t)
  const { page, context } = opened
  await context.addCookies([{ name: '__Host-stint_session', value: 'x'.repeat(43), url: console.origin, secure: true }])
  await openReference(page)

  await t.test(
    '11 reference: every operation and every event is on the page, and nothing is asked of another host',
    async () => {
      const { paths, webhooks } = openApiDocument(console.runtime.registry, {
        ...{ origin: console.origin, auth_url: console.origin, version: '0' },
      }) as Record<'paths' | 'webhooks', Record<string, Record<string, { summary: string }>>>
      const summaries = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
        Object.values(methods).map(({ summary }) => summary),
      )
      assert.ok(summaries.length > 50)
      const listed = page.locator('[data-sidebar-id]')
      await listed
        .filter({ hasText: summaries.at(-1) ?? '' })
        .first()
        .waitFor()
      const text = (await listed.allTextContents()).join('\n')
      assert.deepEqual(
        summaries.filter((summary) => !text.includes(summary)),
        [],
      )
      assertNoFaults(withoutProbe(opened))
      assert.equal(opened.faults.filter((fault) => fault === eval_probe).length, 1)
    },
  )

  await t.test(`11 reference: ${flawless}`, () => assertFlawless(opened, 'reference'))

  await t.test(
    '11 reference: a pasted token is the one way to authorize that is offered, and no link leads to the page itself',
    async () => {
      await page.getByPlaceholder('Token').first().waitFor()
      assert.equal(await page.getByText(/oauth2|client id/i).count(), 0)
      assert.equal(await page.locator('#reference a[href$="/docs"]').count(), 0)
    },
  )

  await t.test('11 reference: an example of a body is shown with its operation', async () => {
    await page.locator('[data-sidebar-id]').getByText('Create a contract', { exact: true }).click()
    await page.getByText('"Platform engineering"').first().waitFor()
    await takePicture(page, 'docs-operation.light.1280')
    await page.getByRole('button', { name: 'curl' }).first().click()
    await takePicture(page, 'docs-samples.light.1280')
    await page.getByText('@stint/sdk').first().click()
    await page.getByText('stint.contracts.create').first().waitFor()
  })

  await t.test(
    '11 reference: a pasted token is sent to this service, without a cookie, and is gone after reload',
    async () => {
      await page.getByPlaceholder('Token').first().fill(console.organization.token)
      await page.locator('[data-sidebar-id]').getByText('List the organizations this credential reaches').click()
      await page
        .getByRole('button', { name: /Test Request/ })
        .filter({ visible: true })
        .first()
        .click()
      const sent: Request[] = []
      page.on('request', (request) => void (request.url().includes('/rest/v2/') && sent.push(request)))
      await page.getByRole('button', { name: /^Send/ }).first().click()
      await page.getByText('200 OK').waitFor()
      const headers = (await sent[0]?.allHeaders()) ?? {}
      assert.equal(headers.authorization, `Bearer ${console.organization.token}`)
      assert.equal(headers.cookie, undefined)
      await openReference(page)
      assert.equal(await page.getByPlaceholder('Token').first().inputValue(), '')
      const kept = await page.evaluate(`JSON.stringify(${stored_values})`)
      assert.equal(String(kept).includes(console.organization.token), false)
      assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => fault !== eval_probe) })
    },
  )
})

test('11 reference: where the document cannot be loaded, the page says where the raw one is', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await page.route('**/openapi.json', (route) => route.abort())
  await page.goto('/docs')
  await page.getByRole('link', { name: 'OpenAPI 3.1 document as YAML' }).waitFor()
})

test('/ in a browser leads to the sign-in of the console', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await page.goto('/')
  assert.match(page.url(), /\/console/)
  await page.getByRole('heading').first().waitFor()
})
