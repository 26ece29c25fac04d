import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '#test/factories.ts'
import { type Business, useBusiness } from './support/business.ts'
import { assertNoFaults, type OpenedBrowser } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { dialog, pick, rowOf, view } from './support/find.ts'
import { listed, look } from './support/look.ts'

const business = useBusiness()

/** Refusals that a test is about are no faults. */
const assertOnly = (opened: OpenedBrowser, expected: RegExp) =>
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !expected.test(fault)) })

async function threePending(console: Business): Promise<{ contract: Body; ids: string[] }> {
  const contract = await console.hourlyContract()
  const ids: string[] = []
  for (const [description, day] of [
    ['Week one', -20],
    ['Week two', -13],
    ['Week three', -6],
  ] as const) {
    const dates = { start_date: console.day(day), end_date: console.day(day + 4) }
    const { id } = await console.timesheet(contract, { ...dates, description, auto_approve: false })
    ids.push(id)
  }
  return { contract, ids }
}

test('9.4 approve two at once, decline one with a reason: all three show it; an approved one is not edited', async (t) => {
  const console = await business.start(t)
  const { ids } = await threePending(console)
  const opened = await console.visit('/timesheets', 'finance')
  const { page } = opened
  await page.getByText('3 timesheets', { exact: true }).waitFor()
  await look(opened, 'timesheets')
  for (const name of ['Week one', 'Week three']) await rowOf(page, name).getByRole('checkbox').check()
  await button(page, 'Approve 2…').click()
  await look(opened, 'timesheets-approve-dialog')
  await dialog(page).getByRole('button', { name: 'Approve 2' }).click()
  await page.getByText('2 timesheets approved.').waitFor()
  await page.getByText('1 timesheet', { exact: true }).waitFor()
  await rowOf(page, 'Week two').getByRole('button', { name: 'Decline' }).click()
  await dialog(page).getByLabel('Reason').fill('Friday was a holiday.')
  await dialog(page).getByRole('button', { name: 'Decline timesheet' }).click()
  await page.getByText('1 timesheet declined.').waitFor()
  // Each stands where its state belongs, the reason with it.
  await heading(page, 'Nothing waits for a review').waitFor()
  await view(page, 'All')
  await page.getByText('3 timesheets', { exact: true }).waitFor()
  await rowOf(page, 'Week two').getByText('Friday was a holiday.').waitFor()
  assert.equal(await page.locator('.table').getByText('Approved', { exact: true }).count(), 2)
  await look(opened, 'timesheets-all')

  // A filter lives in the address and is taken off by emptying its field.
  const worker = page.getByLabel('Worker', { exact: true })
  await pick(page, 'Worker', 'Jonas Weber')
  await page.waitForURL(/person=/)
  await page.reload()
  await page.getByText('3 timesheets', { exact: true }).waitFor()
  await page.locator('input[value="Jonas Weber"]').waitFor()
  await worker.fill('')
  await page.waitForURL((url) => !url.search.includes('person='))

  await rowOf(page, 'Week one').getByRole('link').first().click()
  await dialog(page).getByText('It is approved').waitFor()
  assert.equal(await dialog(page).getByRole('button', { name: 'Edit' }).count(), 0)
  await look(opened, 'timesheet-dialog')
  assertOnly(opened, /nothing/)
  const statuses = await Promise.all(ids.map((id) => console.done('GET', `/timesheets/${id}`)))
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['approved', 'declined', 'approved'],
  )
  const changed = await console.call('PATCH', `/timesheets/${ids[0]}`, { body: { quantity: '1' } })
  assert.deepEqual([changed.status, changed.body.code], [409, 'invalid_state'])
})

test('9.4 the keyboard alone reviews a timesheet; a stale page is told what changed', async (t) => {
  const console = await business.start(t)
  const { ids } = await threePending(console)
  const opened = await console.visit('/timesheets')
  const { page } = opened
  await page.getByText('3 timesheets', { exact: true }).waitFor()
  await rowOf(page, 'Week one').getByRole('button', { name: 'Approve' }).focus()
  await page.keyboard.press('Enter')
  await dialog(page).getByLabel('Note to the worker').waitFor()
  // Enter in a text of several lines is a line; the button is two steps on.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('1 timesheet approved.').waitFor()
  await page.getByText('2 timesheets', { exact: true }).waitFor()

  // Meanwhile somebody else has declined one of two, so neither is approved.
  await console.done('POST', `/timesheets/${ids[1]}/review`, { status: 'declined' })
  await page.getByLabel('Choose all shown').check()
  await button(page, 'Approve 2…').click()
  await dialog(page).getByRole('button', { name: 'Approve 2' }).click()
  await dialog(page).getByText('It is declined').waitFor()
  await look(opened, 'timesheets-stale-dialog')
  // The other one is approved by the next press.
  await dialog(page).getByRole('button', { name: 'Approve timesheet' }).click()
  await heading(page, 'Nothing waits for a review').waitFor()
  await page.getByText('1 timesheet approved.').waitFor()
})

test('review a timesheet: entered, changed, approved and paid for, in the browser only', async (t) => {
  const console = await business.start(t)
  const contract = await console.hourlyContract()
  await console.contract()
  const opened = await console.visit('/timesheets')
  const { page } = opened
  await heading(page, 'Nothing waits for a review').waitFor()
  await look(opened, 'timesheets-empty')
  await button(page, 'Add timesheet').click()
  // Only the contract that is paid by the hour can be chosen.
  await dialog(page).getByLabel('Contract', { exact: true }).fill('Weber')
  await page.getByRole('option').first().waitFor()
  assert.equal(await page.getByRole('option').count(), 1)
  await page.getByRole('option').first().click()
  await dialog(page).getByLabel('First day').fill(console.day(-7))
  await dialog(page).getByLabel('Last day').fill(console.day(-3))
  await dialog(page).getByLabel('Hours', { exact: true }).fill('200')
  await dialog(page).getByLabel('Description').fill('Last week')
  await dialog(page).getByLabel('Leave it for a review').check()
  await button(page, 'Add timesheet').last().click()
  await dialog(page).locator('.fault, [role=alert]').first().waitFor()
  await look(opened, 'timesheet-add-dialog')
  await dialog(page).getByLabel('Hours', { exact: true }).fill('30')
  await dialog(page).getByRole('button', { name: 'Add timesheet' }).click()
  await page.getByText('The timesheet is added.').waitFor()
  await rowOf(page, 'Last week').getByText('1,350.00').first().waitFor()
  await rowOf(page, 'Last week').getByRole('link').first().click()
  await dialog(page).getByRole('button', { name: 'Edit' }).click()
  await dialog(page).getByLabel('Hours', { exact: true }).fill('38.5')
  await dialog(page).getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').getByText('1,732.50').waitFor()
  await dialog(page).getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Approve timesheet' }).click()
  await page.getByRole('dialog').getByText('It is approved').waitFor()

  await console.advance({ by: 'P2M' })
  await page.goto('/console/timesheets?view=invoiced')
  await rowOf(page, 'Last week').getByText('Invoiced').waitFor()
  await rowOf(page, 'Last week').getByRole('link', { name: 'on an invoice' }).waitFor()
  const [timesheet] = (await console.done('GET', `/timesheets?contract_id=${contract.id}`)).data
  const invoice = await console.done('GET', `/invoices/${timesheet.invoice_id}`)
  assert.equal(invoice.lines[0].amount, '1732.50')
})

test('9.5 an approved bonus is a line of the next invoice with the same amount; a viewer sees no amount', async (t) => {
  const console = await business.start(t)
  const contract = await console.contract()
  const opened = await console.visit('/adjustments', 'finance')
  const { page } = opened
  await heading(page, 'Nothing waits for a review').waitFor()
  await button(page, 'Add adjustment').click()
  await pick(dialog(page), 'Contract', 'Weber')
  await dialog(page).getByLabel('Amount').fill('1,250.50')
  await dialog(page).getByLabel('Date (optional)').fill(console.day(-1))
  await dialog(page).getByLabel('Description').fill('Release on time')
  await dialog(page).getByLabel('Leave it for a review').check()
  await look(opened, 'adjustment-add-dialog')
  await dialog(page).getByRole('button', { name: 'Add adjustment' }).click()
  await page.getByText('The adjustment is added.').waitFor()
  await rowOf(page, 'Release on time').getByRole('button', { name: 'Approve' }).click()
  await dialog(page).getByRole('button', { name: 'Approve adjustment' }).click()
  await page.getByText('1 adjustment approved.').waitFor()
  await console.adjustment(contract, { is_recurring: true, description: 'Phone', auto_approve: false })
  await console.adjustment(contract, { type: 'deduction', amount: '15.00', description: 'Deposit' })
  await view(page, 'All')
  await page.getByText('3 adjustments', { exact: true }).waitFor()
  await rowOf(page, 'Deposit').getByText('-15.00').waitFor()
  await rowOf(page, 'Phone').getByText('every cycle').waitFor()
  await look(opened, 'adjustments')
  await page.getByLabel('Type').selectOption('bonus')
  await page.getByText('1 adjustment', { exact: true }).waitFor()

  await console.advance({ by: 'P2M' })
  await page.goto('/console/adjustments?view=invoiced')
  await rowOf(page, 'Release on time').getByRole('link', { name: 'on an invoice' }).waitFor()
  await rowOf(page, 'Release on time').getByText('1,250.50').waitFor()
  const { data } = await console.done('GET', `/invoice-adjustments?contract_id=${contract.id}&types=bonus`)
  const invoice = await console.done('GET', `/invoices/${data[0].invoice_id}`)
  const line = invoice.lines.find(({ source }: Body) => source.id === data[0].id)
  assert.deepEqual([line.type, line.amount], ['bonus', '1250.50'])

  const viewer = await console.visit('/adjustments?view=all', 'viewer')
  await listed(viewer.page)
  await viewer.page.getByText('hidden by role').first().waitFor()
  assert.ok(!(await viewer.page.content()).includes('1,250.50'))
  assert.equal(await viewer.page.getByRole('checkbox').count(), 0)
  assert.equal(await viewer.page.getByRole('button', { name: /^(Add|Approve|Decline)/ }).count(), 0)
  await look(viewer, 'adjustments-viewer')
})
