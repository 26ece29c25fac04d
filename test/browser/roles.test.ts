import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '#core/caller.ts'
import { workerLogin } from '#test/factories.ts'
import { type Business, useBusiness } from './support/business.ts'
import { settled } from './support/find.ts'

const business = useBusiness()

const roles: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer']

/**
 * Section 5 of the design as the pages have it: for owner, admin, developer, finance and viewer, W reads and writes, R reads, and
 * to - the page says that it is not with this role. The action is there for those who write, and for nobody else.
 */
const places: readonly [path: string, rights: string, action?: string | RegExp][] = [
  ['/', 'RRRRR'],
  ['/people', 'WWRRR', 'Add person'],
  ['/people/new', 'WW---', 'Add person'],
  ['/people/{person}', 'WWRRR', 'Edit'],
  ['/people/{person}/edit', 'WW---', /^Save/],
  ['/contracts', 'WWRRR', 'New contract'],
  ['/contracts/new', 'WW---', /^(Next|Continue)/],
  ['/contracts/{contract}', 'WWRRR', /^Sign/],
  ['/contracts/{contract}/edit', 'WW---', /^Save/],
  ['/contracts/{active}/amend', 'WW---', /amendment/i],
  ['/timesheets', 'WWRWR', 'Add timesheet'],
  ['/timesheets', 'WWRWR', /^Approve/],
  ['/adjustments', 'WWRWR', 'Add adjustment'],
  ['/adjustments', 'WWRWR', /^Approve/],
  ['/time-off', 'WWRRR', 'Add time off'],
  ['/invoices', 'WR-W-', 'New invoice'],
  ['/invoices/new', 'W--W-'],
  ['/invoices/cycles', 'RR-R-'],
  ['/invoices/{invoice}', 'WR-W-', 'Pay…'],
  ['/invoices/{invoice}', 'WR-W-', /^Cancel/],
  ['/payments', 'WR-W-', 'Choose invoices to pay'],
  ['/payments/{payment}', 'WR-W-', 'Record settlement…'],
  ['/ledger', 'RR-R-'],
  ['/webhooks', 'WWW-R', 'New webhook'],
  ['/webhooks/new', 'WWW--', 'Create webhook'],
  ['/webhooks/{webhook}', 'WWW-R', 'Replay…'],
  ['/events', 'RRR--'],
  ['/event-types', 'RRR-R'],
  ['/requests', 'RRR--'],
  ['/tokens', 'WWWWW', 'New token'],
  ['/tokens/new', 'WWWWW', 'Create token'],
  ['/oauth', 'WWW--', 'New client'],
  ['/oauth/new', 'WWW--', 'Create client'],
  ['/oauth/{client}/edit', 'WWW--', /^Save/],
  ['/apps', 'RRRRR'],
  ['/structure', 'WWRRR', /^Add /],
  ['/members', 'WWRRR', 'Invite member'],
  ['/audit', 'RR---'],
  ['/provisioning', 'WW---', 'Make token'],
  ['/settings', 'WWRRR', 'Save changes'],
  ['/account', 'RRRRR'],
]

/** Something to act on, where an action needs it. */
async function prepare(console: Business): Promise<Record<string, string>> {
  const { organization } = console
  const person = await console.person()
  const contract = await console.pendingContract()
  const active = await console.contract()
  const hourly = await console.hourlyContract()
  const worker = await workerLogin(console, hourly.worker_id, organization.id)
  const report = async (path: string, body: object) => {
    const answer = await console.call('POST', path, { token: worker, body: { contract_id: hourly.id, ...body } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
  }
  const [from, to] = [console.day(-7), console.day(-3)]
  await report('/worker/timesheets', { start_date: from, end_date: to, quantity: '8', description: 'Last week' })
  await report('/worker/invoice-adjustments', { type: 'expense', amount: '12.50', date: to, description: 'Train' })
  const invoices = await Promise.all(
    [1, 2].map(async () => {
      const { id } = await console.adjustment(active)
      return console.done('POST', '/invoices', { contract_id: active.id, invoice_adjustment_ids: [id] })
    }),
  )
  const [invoice, other] = invoices.map(({ id }) => id)
  const payment = await console.done('POST', '/payments', { invoice_ids: [other] })
  const webhook = await console.subscribe()
  const own_client = { name: 'Payroll sync', grant_types: ['client_credentials'], scopes: ['people:read'] }
  const { client_id: client } = await console.done('POST', '/oauth-clients', own_client)
  await console.cause()
  await console.send()
  return {
    ...{ person: person.id, contract: contract.id, active: active.id, invoice, payment: payment.id },
    ...{ webhook: webhook.id, client },
  }
}

/** Within the console, as a link does; a page load each would take minutes. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`
    document.querySelector('main h1').dataset.left = 'yes'
    history.pushState(null, '', '/console${path === '/' ? '' : path}')
    dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('main h1:not([data-left])').waitFor()
  await settled(page)
}

const inNavigation = (page: Page) =>
  page
    .locator('nav.side a[href^="/console"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.replace('/console', '') || '/'))

test('every role sees the pages and the actions that the table of roles gives it, and no others', async (t) => {
  const console = await business.start(t)
  const ids = await prepare(console)
  for (const [index, role] of roles.entries()) {
    await t.test(role, async () => {
      const { page } = await console.visit('/apps', role)
      const shown = await inNavigation(page)
      const wrong: string[] = []
      let at = ''
      for (const [template, rights, action] of places) {
        const right = rights[index]
        const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? assert.fail(name))
        if (at !== path) await go(page, path)
        at = path
        const refused = await page.getByRole('heading', { name: 'Not with your role' }).count()
        if (refused > 0 !== (right === '-')) wrong.push(`${template}: ${refused ? 'refused' : 'shown'}`)
        if (refused > 0 || !action) continue
        const control = page.locator('main').locator('button, a.button').filter({ hasText: action })
        const isThere =
          right === 'W'
            ? await control
                .first()
                .waitFor()
                .then(() => true)
                .catch(() => false)
            : (await control.count()) > 0
        const creates = isThere && /^(Add|New|Invite) /.test(String(action)) && !template.endsWith('/new')
        const key = creates ? await control.first().getAttribute('aria-keyshortcuts') : 'c'
        if (key !== 'c') wrong.push(`${template}: ${action} has no key`)
        if (isThere !== (right === 'W')) wrong.push(`${template}: ${action} is ${isThere ? 'there' : 'missing'}`)
      }
      const allowed = places.filter(
        ([path, rights]) => !/[{]|new$|cycles$|account$/.test(path) && rights[index] !== '-',
      )
      assert.deepEqual(wrong, [])
      assert.deepEqual(shown.toSorted(), [...new Set(allowed.map(([path]) => path))].toSorted())
    })
  }
})
