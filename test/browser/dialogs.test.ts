import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Business, useBusiness } from './support/business.ts'
import { email } from './support/developer.ts'
import { dialog } from './support/find.ts'
import { look } from './support/look.ts'
import { furnish, go, pathOf } from './support/places.ts'
import { asWorker, done, offered } from './support/worker.ts'

const business = useBusiness()

/** Something of each kind that the dialogs below are about, beside what every place has. */
async function furnishMore(console: Business): Promise<Record<string, string>> {
  const ids = await furnish(console)
  const { id: person } = await console.person({ first_name: 'Ilse', last_name: 'Okafor' })
  await console.done('PUT', `/people/${person}/bank-account`, {
    ...{ holder_name: 'Ilse Okafor', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' },
  })
  const { id: organization_id } = console.organization
  await console.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`update people set access = 'enabled' where organization_id = ${organization_id} and id = ${person}`),
  )
  const policy = await console.done('POST', '/time-off-policies', { name: 'Vacation', leave_type: 'vacation' })
  const absence = { person_id: person, policy_id: policy.id, start_date: console.day(7), end_date: console.day(9) }
  const { id: time_off } = await console.done('POST', '/time-offs', absence)
  const invited = await console.pendingContract({ title: 'Night shift' })
  await console.done('POST', `/contracts/${invited.id}/invite`, {})
  const amended = await console.contract({ title: 'Platform' })
  await console.done('POST', `/contracts/${amended.id}/amendments`, { terms: { job_title: 'Lead' } })
  const activate_at = new Date(Date.now() + 86_400_000).toISOString()
  await console.done('POST', `/webhooks/${ids.webhook}/signing-keys`, { activate_at })
  const [timesheet] = (await console.done('GET', '/timesheets?statuses=pending')).data
  const member = await console.addMember({ email: `mira.${email}`, role: 'viewer' })
  const added = { person, time_off, invited: invited.id, amended: amended.id, timesheet: timesheet.id, member }
  return { ...ids, ...added }
}

/** Dialogs that no other test looks at: the page, what is pressed on it one after the other, and the name of the picture. */
const places: readonly [path: string, presses: readonly RegExp[], name: string][] = [
  ['/tokens', [/^Rotate Payroll export/], 'token-rotate'],
  ['/oauth?client={client}', [/^Rotate secret/], 'oauth-rotate'],
  ['/oauth?client={client}', [/^Delete client/], 'oauth-delete'],
  ['/webhooks/{webhook}?tab=settings', [/^Pause webhook/], 'webhook-pause'],
  ['/webhooks/{webhook}?tab=settings', [/^Delete webhook/], 'webhook-delete'],
  ['/webhooks/{webhook}?tab=keys', [/^Retire now/], 'webhook-key-retire'],
  ['/contracts/{invited}?tab=signatures', [/^Make a new one/], 'contract-invite-again'],
  ['/contracts/{invited}?tab=signatures', [/^Take it back/], 'contract-invitation-back'],
  ['/contracts/{amended}?tab=amendments', [/^Withdraw$/], 'amendment-withdraw'],
  ['/people/{person}', [/^Replace…/], 'bank-account-replace'],
  ['/people/{person}', [/^Remove bank account/], 'bank-account-remove'],
  ['/people/{person}', [/^Block access…/], 'person-block'],
  ['/people/{person}', [/^Remove person…/], 'person-remove'],
  ['/people/{person}', [/^Erase personal data…/], 'person-erase'],
  ['/structure', [/^Edit Engineering/], 'department-edit'],
  ['/structure', [/^Remove Engineering/], 'department-remove'],
  ['/time-off', [/^Reject…/], 'time-off-reject'],
  ['/time-off?open={time_off}', [/^Edit/], 'time-off-edit'],
  ['/time-off?open={time_off}', [/^Cancel time off…/], 'time-off-cancel'],
  ['/time-off?view=policies', [/^Edit Vacation/], 'policy-edit'],
  ['/time-off?view=policies', [/^Remove Vacation/], 'policy-remove'],
  ['/timesheets', [/^Decline…/], 'timesheet-decline'],
  ['/timesheets?open={timesheet}', [/^Remove…/], 'timesheet-remove'],
  ['/adjustments', [/^Decline…/], 'adjustment-decline'],
  ['/members?member={member}', [/^Sign out everywhere/], 'member-sign-out'],
  ['/members?member={member}', [/^Remove from organization/], 'member-remove'],
  ['/ledger', [/^Export…/], 'ledger-export'],
]

test('every dialog that no other test is about: accessible, within its policy and without sideways scrolling', async (t) => {
  const console = await business.start(t)
  const ids = await furnishMore(console)
  const opened = await console.visit('/')
  const { page } = opened
  for (const [path, presses, name] of places) {
    await t.test(name, async () => {
      await page.setViewportSize({ width: 1280, height: 800 })
      // A dialog that was opened before goes with its page.
      await page.goto('/console/apps')
      await page.locator('main h1').waitFor()
      await go(page, pathOf(path, ids))
      for (const press of presses) await page.getByRole('button', { name: press }).last().click()
      await dialog(page).getByRole('heading').first().waitFor()
      await look(opened, `${name}-dialog`)
      assert.equal(await page.getByRole('dialog').last().isVisible(), true)
    })
  }
})

test('the same of the worker’s dialogs and of the menu', async (t) => {
  const console = await business.start(t, { is_sandbox: false })
  const contract = await offered(console)
  const opened = await asWorker(t, console, contract, `/worker/contracts/${contract.id}`)
  const { page } = opened
  await page.getByLabel('Your full name, as your signature').fill('Jonas Weber')
  await page.getByRole('button', { name: 'Sign the contract' }).click()
  await page.getByText('Both have signed.').waitFor()
  const amendments = `/contracts/${contract.id}/amendments`
  const { id } = await done(console, 'POST', amendments, { terms: { amount: '30.00' }, reason: 'Savings.' })
  await done(console, 'POST', `${amendments}/${id}/sign`, { signer_name: 'Nora Pine' })
  await page.reload()
  await page.getByRole('button', { name: 'Decline…' }).click()
  await look(opened, 'worker-decline-dialog')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await look(opened, 'worker-menu')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Jonas Weber' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await look(opened, 'worker-account-menu')
})
