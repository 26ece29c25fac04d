import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Business, useBusiness } from './support/business.ts'
import { assertNoFaults } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { dialog, pick, rowOf, view } from './support/find.ts'
import { listed, look } from './support/look.ts'

const business = useBusiness()

/** Weeks that begin on a Monday, from the year after next on: no day of the run decides how many days count. */
const year = new Date().getFullYear() + 1
const monday = (week: number) => {
  const first = new Date(Date.UTC(year, 2, 1))
  const to_monday = (8 - first.getUTCDay()) % 7
  return new Date(first.getTime() + (to_monday + 7 * week) * 86_400_000).toISOString().slice(0, 10)
}
const friday = (week: number) => new Date(Date.parse(monday(week)) + 4 * 86_400_000).toISOString().slice(0, 10)

const policyOf = (console: Business, fields: object = {}) =>
  console.done('POST', '/time-off-policies', {
    ...{ name: 'Vacation', leave_type: 'vacation', annual_allowance_days: '30', ...fields },
  })

test('time off: a policy is made, a request entered, changed, approved, and its balance shown', async (t) => {
  const console = await business.start(t)
  const ada = await console.person({ email: 'ada@harbour.example' })
  const opened = await console.visit('/time-off', 'admin')
  const { page } = opened
  await heading(page, 'No request waits').waitFor()
  await look(opened, 'time-off-empty')
  await button(page, 'Add time off').click()
  await dialog(page).getByRole('link', { name: 'Add a policy first' }).click()
  await heading(page, 'No policy yet').waitFor()
  await button(page, 'Add policy').click()
  await dialog(page).getByLabel('Name').fill('Vacation')
  await dialog(page).getByLabel('Days a year (optional)').fill('27.3')
  await dialog(page).getByRole('button', { name: 'Add policy' }).click()
  await dialog(page).locator('.fault').waitFor()
  await look(opened, 'policy-dialog')
  await dialog(page).getByLabel('Days a year (optional)').fill('27.5')
  await dialog(page).getByRole('button', { name: 'Add policy' }).click()
  await rowOf(page, 'Vacation').getByText('27.5').waitFor()
  await look(opened, 'policies')

  await view(page, 'To review')
  await button(page, 'Add time off').click()
  await pick(dialog(page), 'Person', 'Ada Lindqvist')
  await dialog(page).getByLabel('Policy', { exact: true }).selectOption({ label: 'Vacation' })
  await dialog(page).getByLabel('First day').fill(monday(0))
  await dialog(page).getByLabel('Last day').fill(friday(1))
  await dialog(page).getByText(`27.5 days of 27.5 available in ${year}`).waitFor()
  await dialog(page).getByLabel('Reason (optional)').fill('Summer with the children')
  await look(opened, 'time-off-add-dialog')
  await dialog(page).getByRole('button', { name: 'Add time off' }).click()
  await rowOf(page, 'Ada Lindqvist').getByText('10 days', { exact: true }).waitFor()
  await look(opened, 'time-off')

  await rowOf(page, 'Ada Lindqvist').getByRole('link').click()
  await dialog(page).getByRole('button', { name: 'Edit' }).click()
  await dialog(page).getByLabel('Last day').fill(friday(0))
  await dialog(page).getByLabel('Ends at noon').check()
  await dialog(page).getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').getByText('4.5 days').waitFor()
  await dialog(page).getByRole('button', { name: 'Approve' }).click()
  await dialog(page).getByText('4.5 days of Vacation').waitFor()
  await look(opened, 'time-off-approve-dialog')
  await dialog(page).getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').getByText('Approved', { exact: true }).first().waitFor()
  await look(opened, 'time-off-dialog')
  await page.keyboard.press('Escape')
  await heading(page, 'No request waits').waitFor()

  await page.goto(`/console/people/${ada.id}?tab=time-off`)
  await page.getByLabel('Year').selectOption(String(year))
  await rowOf(page, 'Vacation').getByText('23', { exact: true }).waitFor()
  await look(opened, 'person-time-off')
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !fault.includes('status of 400')) })
})

test('time off: rejected with a reason, cancelled; what is more than available is refused in words', async (t) => {
  const console = await business.start(t)
  const person = await console.person({ email: 'ada@harbour.example' })
  const policy = await policyOf(console, { annual_allowance_days: '6' })
  const ids = { person_id: person.id, policy_id: policy.id }
  const week = (at: number) => ({ ...ids, start_date: monday(at), end_date: friday(at) })
  await console.done('POST', '/time-offs', { ...week(0), reason: 'A wedding' })
  const opened = await console.visit('/time-off')
  const { page } = opened
  await button(page, 'Add time off').click()
  await pick(dialog(page), 'Person', 'Ada Lindqvist')
  await dialog(page).getByLabel('Policy', { exact: true }).selectOption({ label: 'Vacation' })
  await dialog(page).getByLabel('First day').fill(monday(2))
  await dialog(page).getByLabel('Last day').fill(friday(2))
  await dialog(page).getByText(`1 day of 6 available in ${year}`).waitFor()
  await dialog(page).getByRole('button', { name: 'Add time off' }).click()
  await dialog(page).locator('.fault, [role=alert]').first().waitFor()
  // One key does not lose the typed text.
  await page.keyboard.press('Escape')
  await dialog(page).getByText('What you typed is not saved.').waitFor()
  await button(page, 'Go on typing').click()
  assert.equal(await dialog(page).getByLabel('First day').inputValue(), monday(2))
  await page.keyboard.press('Escape')
  await button(page, 'Discard it').click()
  await rowOf(page, 'A wedding').getByRole('button', { name: 'Reject' }).click()
  await dialog(page).getByLabel('Reason (optional)').fill('The release is that week.')
  await dialog(page).getByRole('button', { name: 'Reject' }).click()
  await page.getByText('The time off is rejected.').waitFor()
  await view(page, 'Over')
  await rowOf(page, 'A wedding').getByText('The release is that week.').waitFor()

  await console.done('POST', '/time-offs', { ...week(1), auto_approve: true })
  await view(page, 'Approved')
  await rowOf(page, '5 days').getByRole('link').click()
  await dialog(page).getByRole('button', { name: 'Cancel time off…' }).click()
  await dialog(page).getByRole('button', { name: 'Cancel time off', exact: true }).click()
  await page.getByRole('dialog').getByText('It is over').waitFor()
  assert.equal((await console.done('GET', '/time-offs?statuses=cancelled')).total_count, 1)
})

test('time off: a viewer sees who is away, and neither why nor under which policy', async (t) => {
  const console = await business.start(t)
  const person = await console.person({ email: 'ada@harbour.example' })
  const policy = await policyOf(console, { name: 'Long illness', leave_type: 'sick', annual_allowance_days: null })
  const dates = { start_date: monday(0), end_date: friday(0) }
  await console.done('POST', '/time-offs', { person_id: person.id, policy_id: policy.id, ...dates, reason: 'Surgery' })
  const opened = await console.visit('/time-off', 'viewer')
  const { page } = opened
  await listed(page)
  await rowOf(page, 'Ada Lindqvist').getByText('hidden by role').waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Add|Approve|Reject)/ }).count(), 0)
  await rowOf(page, 'Ada Lindqvist').getByRole('link').click()
  await dialog(page).getByText('hidden by role').first().waitFor()
  for (const word of ['Surgery', 'Long illness']) assert.ok(!(await page.content()).includes(word), word)
  await page.goto(`/console/people/${person.id}?tab=time-off`)
  await page.getByText('Owners and admins see them.').waitFor()
})
