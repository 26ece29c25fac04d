import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Role } from '#core/caller.ts'
import { workerLogin } from '#test/factories.ts'
import type { Business } from './business.ts'
import { settled } from './find.ts'

export const roles: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer']

/**
 * Section 5 of the design as the pages have it: for owner, admin, developer, finance and viewer, W reads and writes, R reads, and
 * to - the page says that it is not with this role. The action is there for those who write, and for nobody else.
 */
export const places: readonly [path: string, rights: string, action?: string | RegExp][] = [
  ['/', 'RRRRR'],
  ['/people', 'WWRRR', 'Add person'],
  ['/people/new', 'WW---', 'Add person'],
  ['/people/{person}', 'WWRRR', 'Edit'],
  ['/people/{person}', 'WWRRR', 'Move…'],
  ['/people/{person}', 'WWRRR', 'Add bank account…'],
  ['/people/{person}', 'WWRRR', 'Remove person…'],
  ['/people/{person}/edit', 'WW---', /^Save/],
  ['/contracts', 'WWRRR', 'New contract'],
  ['/contracts/new', 'WW---', /^(Next|Continue)/],
  ['/contracts/{contract}', 'WWRRR', /^Sign/],
  ['/contracts/{contract}', 'WWRRR', 'Invite the worker'],
  ['/contracts/{active}', 'WWRRR', 'Amend the terms'],
  ['/contracts/{active}', 'WWRRR', 'Terminate'],
  ['/contracts/{contract}/edit', 'WW---', /^Save/],
  ['/contracts/{active}/amend', 'WW---', /amendment/i],
  ['/timesheets', 'WWRWR', 'Add timesheet'],
  ['/timesheets', 'WWRWR', /^Approve/],
  ['/timesheets', 'WWRWR', /^Decline/],
  ['/adjustments', 'WWRWR', 'Add adjustment'],
  ['/adjustments', 'WWRWR', /^Approve/],
  ['/adjustments', 'WWRWR', /^Decline/],
  ['/time-off', 'WWRRR', 'Add time off'],
  ['/time-off?view=policies', 'WWRRR', 'Add policy'],
  ['/invoices', 'WR-W-', 'New invoice'],
  ['/invoices/new', 'W--W-'],
  ['/invoices/cycles', 'RR-R-'],
  ['/invoices/{invoice}', 'WR-W-', 'Pay…'],
  ['/invoices/{invoice}', 'WR-W-', /^Cancel/],
  ['/payments', 'WR-W-', 'Choose invoices to pay'],
  ['/payments/{payment}', 'WR-W-', 'Record settlement…'],
  ['/payments/{payment}', 'WR-W-', 'Record failure…'],
  ['/ledger', 'RR-R-'],
  ['/webhooks', 'WWW-R', 'New webhook'],
  ['/webhooks/new', 'WWW--', 'Create webhook'],
  ['/webhooks/{webhook}', 'WWW-R', 'Replay…'],
  ['/webhooks/{webhook}?tab=events', 'WWW-R', 'Simulate'],
  ['/webhooks/{webhook}?tab=replays', 'WWW-R', 'New replay'],
  ['/webhooks/{webhook}?tab=keys', 'WWW-R', 'Rotate key'],
  ['/webhooks/{webhook}?tab=settings', 'WWW-R', 'Save changes'],
  ['/webhooks/{webhook}?tab=settings', 'WWW-R', 'Pause webhook'],
  ['/webhooks/{webhook}?tab=settings', 'WWW-R', 'Delete webhook'],
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
  ['/structure', 'WWRRR', /^Edit /],
  ['/structure', 'WWRRR', /^Remove /],
  ['/members', 'WWRRR', 'Invite member'],
  ['/audit', 'RR---'],
  ['/provisioning', 'WW---', 'Make token'],
  ['/provisioning?tab=teams', 'WW---', 'Map a team'],
  ['/settings', 'WWRRR', 'Save changes'],
  ['/account', 'RRRRR'],
]

/** Something to act on, where an action needs it; answers the ids that paths of places name. */
export async function furnish(console: Business): Promise<Record<string, string>> {
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
  const webhook = await console.subscribe({ events: ['api-token.created'] })
  await console.done('POST', '/departments', { name: 'Engineering' })
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
export async function go(page: Page, path: string): Promise<void> {
  const [from, to] = [page.url(), `/console${path}`].map((one) => new URL(one, page.url()).pathname.replace(/\/$/, ''))
  // Another view of the same page keeps its heading.
  const isOther = from !== to
  await page.evaluate(`
    if (${isOther}) document.querySelector('main h1').dataset.left = 'yes'
    history.pushState(null, '', '/console${path === '/' ? '' : path}')
    dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('main h1:not([data-left])').waitFor()
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
  await settled(page)
}

/** The path of a place with the ids of what is there. */
export const pathOf = (template: string, ids: Record<string, string>) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? assert.fail(name))
