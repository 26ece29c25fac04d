import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noteSecret } from '#test/secrets.ts'
import { stored_values } from './support/always.ts'
import { type Business, useBusiness } from './support/business.ts'
import type { OpenedBrowser } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { look } from './support/look.ts'

const business = useBusiness()

interface Once {
  /** The path at which the value is made, below `/console`. */
  path: string
  /** Presses until the dialog with the value is there. */
  make(page: Page): Promise<void>
  /** The name of the value in its dialog. */
  what: string
  /** Ends the dialog. */
  done?: string
}

/** Every value that is shown this once. */
const values: Record<string, (console: Business) => Promise<Once>> = {
  'a new token': async () => ({
    path: '/tokens/new',
    what: 'token',
    async make(page) {
      await page.getByLabel('Name').fill('Payroll export')
      await page.getByRole('group', { name: 'People' }).getByLabel('Read').check()
      await button(page, 'Create token').click()
    },
  }),
  'the next value of a token': async (console) => {
    await console.cause('Payroll export')
    return {
      path: '/tokens',
      what: 'token',
      async make(page) {
        await page.getByRole('button', { name: 'Rotate Payroll export' }).click()
        await button(page, 'Make the new value').click()
      },
    }
  },
  'the key of a new webhook': async ({ receiver }) => ({
    path: '/webhooks/new',
    what: 'signing key',
    async make(page) {
      await page.getByLabel('URL of the receiver').fill(receiver.url)
      await page.getByLabel('Search event types').fill('contract.created')
      await page.getByLabel('contract.created').check()
      await button(page, 'Create webhook').click()
    },
  }),
  'the next key of a webhook': async (console) => {
    const { id } = await console.subscribe()
    return {
      path: `/webhooks/${id}?tab=keys`,
      what: 'signing key',
      async make(page) {
        await button(page, 'Rotate key').click()
        await button(page, 'Make the new key').click()
      },
    }
  },
  'the secret of a client': async () => ({
    path: '/oauth/new',
    what: 'client secret',
    async make(page) {
      await page.getByLabel('Name').fill('Payroll sync')
      await page.getByLabel('People who allow it').uncheck()
      await page.getByLabel('This organization, without a person').check()
      await page.getByRole('group', { name: 'People' }).getByLabel('Read').check()
      await button(page, 'Create client').click()
    },
  }),
  'the link of a member': async () => ({
    path: '/members',
    what: 'invitation link',
    done: 'Done',
    async make(page) {
      await button(page, 'Invite member').click()
      await page.getByLabel('E-mail').fill('jonas@harbour.example')
      await button(page, 'Make the invitation').click()
    },
  }),
}

/** Texts of a page where a value could be left: what is shown and typed, its address, what it stores. */
const kept = `JSON.stringify([
  document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ${stored_values}, location.href, history.state, document.cookie])`

/** Requests of the page from now on, with all that they carry. */
function requestsOf({ context }: OpenedBrowser): string[] {
  const texts: string[] = []
  context.on('request', (request) => {
    texts.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`)
  })
  return texts
}

for (const [name, prepare] of Object.entries(values)) {
  test(`${name} is shown once: after its dialog no page, store, address, request or log holds it`, async (t) => {
    const console = await business.start(t)
    const { path, make, what, done = 'I have saved it' } = await prepare(console)
    const opened = await console.visit(path)
    const { page } = opened
    await make(page)
    const shown = page.getByRole('group', { name: what, exact: true })
    await shown.waitFor()
    const value = noteSecret((await shown.textContent()) ?? '')
    assert.ok(value.length > 30, value)
    if (name === 'the next value of a token') await look(opened, 'token-rotated-dialog')
    const requests = requestsOf(opened)
    await button(page, done).click()
    await shown.waitFor({ state: 'detached' })
    const isKept = async () => String(await page.evaluate(kept)).includes(value)
    assert.equal(await isKept(), false, 'it is left in the page')
    for (const elsewhere of [null, '/', '/requests']) {
      await (elsewhere === null ? page.reload() : page.goto(`/console${elsewhere}`))
      await heading(page, /./).first().waitFor()
      assert.equal(await isKept(), false, `it is back at ${elsewhere ?? path}`)
    }
    assert.ok(requests.length > 0)
    assert.deepEqual(
      requests.filter((text) => text.includes(value)),
      [],
    )
  })
}
