import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Body } from '#test/factories.ts'
import { workerLogin } from '#test/factories.ts'
import { useBusiness } from './support/business.ts'
import { button, heading, hurry } from './support/developer.ts'
import { begun, dialog, pick, rowsOf, searchFor } from './support/find.ts'
import { listed, look } from './support/look.ts'

const business = useBusiness()

/** The badge beside the name of a contract. */
const status = (page: Page, words: string) => page.locator('.page-title .badge').getByText(words, { exact: true })
const tab = (page: Page, words: string) =>
  page.getByRole('navigation', { name: 'Views of the contract' }).getByRole('link', { name: words })
const chosen = (page: Page, label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value)

test('9.2 a new contract is written by keyboard alone, kept over a reload, appears as pending, and the receiver is told', async (t) => {
  const console = await business.start(t)
  await console.subscribe({ events: ['contract.created'] })
  const opened = await console.visit('/contracts', 'admin')
  const { page } = opened
  await heading(page, 'No contract yet').waitFor()
  await look(opened, 'contracts-empty')
  await page.getByRole('link', { name: 'Write the first contract' }).press('Enter')
  await begun(page, 'New contract')
  await page.getByLabel('Fixed rate').press('Space')
  await look(opened, 'contract-new-type')
  await button(page, 'Next').press('Enter')
  await begun(page, 'Person')
  await page.getByLabel('Somebody new').press('Space')
  await page.getByLabel('First name').pressSequentially('Ana')
  await page.getByLabel('Last name').pressSequentially('Silva')
  await page.getByLabel('E-mail').pressSequentially('ana@harbour.example')
  await button(page, 'Next').press('Enter')
  await page.getByText('It is required.').waitFor()
  await look(opened, 'contract-new-person-fault')
  await chosen(page, 'Country', 'PT')
  await button(page, 'Next').press('Enter')
  await begun(page, 'Terms and pay')
  await page.getByLabel('Title of the contract').pressSequentially('Harbour design')
  await page.getByLabel('Start', { exact: true }).fill(console.day(7))
  await page.getByLabel('Rate').pressSequentially('1,250.005')
  await chosen(page, 'Paid', 'weekly')
  await button(page, 'Next').press('Enter')
  await page.locator('.fault').waitFor()
  await look(opened, 'contract-new-terms-fault')
  await page.reload()
  assert.equal(await page.getByLabel('Title of the contract').inputValue(), 'Harbour design')
  assert.equal(await page.getByLabel('A period ends').inputValue(), 'day_of_week:7')
  await page.getByLabel('Rate').fill('1250')
  await button(page, 'Next').press('Enter')
  await page.getByText('who is added to your people').waitFor()
  await page.getByText('1,250.00').waitFor()
  await look(opened, 'contract-new-review')
  await button(page, 'Create contract').press('Enter')
  await heading(page, 'Waiting for both signatures').waitFor()
  await status(page, 'Pending').waitFor()
  await console.send()
  const [told] = console.receiver.requests
  assert.equal(JSON.parse(String(told?.body)).data.meta.event_type, 'contract.created')
  await page.goto('/console/contracts/new')
  await heading(page, 'Type').waitFor()
  assert.equal(await page.getByLabel('Fixed rate').isChecked(), false, 'the draft has ended with the contract')
  const reader = await console.visit('/contracts/new', 'developer')
  await heading(reader.page, 'Not with your role').waitFor()
})

test('9.2 somebody who is there already gets a contract; what the service refuses stands at its field', async (t) => {
  const console = await business.start(t)
  const { id } = await console.person({ first_name: 'Ada', last_name: 'Lindqvist' })
  await console.person({ first_name: 'Ben', last_name: 'Oak', country: 'DE' })
  const opened = await console.visit(`/contracts/new?worker=${id}`, 'admin')
  const { page } = opened
  await page.getByLabel('Milestones').check()
  await button(page, 'Next').click()
  const person = page.getByLabel('Person', { exact: true })
  await person.and(page.locator('[value="Ada Lindqvist"]')).waitFor()
  await button(page, 'Next').click()
  await page.getByLabel('Title of the contract').fill('Harbour poster')
  await page.getByLabel('Start', { exact: true }).fill(console.day(0))
  await button(page, 'Next').click()
  await page.getByText('the person has no country').waitFor()
  await look(opened, 'contract-new-country-fault')
  await button(page, 'Back').click()
  await person.fill('Oak')
  // Enter takes the first of what is found.
  await page.getByRole('option', { name: 'Ada Lindqvist' }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: 'Ben Oak' }).waitFor()
  await person.press('Enter')
  await page.reload()
  await person.and(page.locator('[value="Ben Oak"]')).waitFor()
  await button(page, 'Next').click()
  await button(page, 'Next').click()
  await page.getByText('With Ben Oak').waitFor()
  assert.equal(await page.getByText('who is added').count(), 0)
  await button(page, 'Create contract').click()
  await heading(page, 'Waiting for both signatures').waitFor()
  await page.getByText('By milestone, in EUR').waitFor()
})

test('9.2 contracts are found by text, status, type and country; a narrow role sees no rate', async (t) => {
  const console = await business.start(t)
  const weber = await console.pendingContract({ title: 'Night shift' })
  await console.hourlyContract({ title: 'Support desk' })
  const cancelled = await console.pendingContract({ title: 'Old plan' })
  await console.done('POST', `/contracts/${cancelled.id}/cancel`)
  await console.done('POST', `/contracts/${cancelled.id}/archive`)
  const opened = await console.visit('/contracts')
  const { page } = opened
  const rows = rowsOf(page, 'Contracts')
  const shows = async (...titles: string[]) => {
    await page.getByText(titles.length === 1 ? '1 contract' : `${titles.length} contracts`, { exact: true }).waitFor()
    for (const title of titles) await rows.filter({ hasText: title }).waitFor()
  }
  await shows('Support desk', 'Night shift')
  await look(opened, 'contracts')
  await searchFor(page, 'night')
  await shows('Night shift')
  await searchFor(page, weber.worker_email)
  await shows('Night shift')
  await searchFor(page, '')
  await shows('Support desk', 'Night shift')
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByLabel('Active', { exact: true }).check()
  await shows('Support desk')
  await page.keyboard.press('Escape')
  await page.goto('/console/contracts?types=fixed_rate&country=DE&archive=all')
  await shows('Old plan', 'Night shift')
  await page.goto('/console/contracts')
  await pick(page, 'Worker', weber.worker_email)
  await shows('Night shift')
  await page.goto('/console/contracts?country=PT')
  await page.getByText('Nothing fits these filters.').waitFor()
  await button(page, 'Clear filters').click()
  await shows('Support desk', 'Night shift')
  const viewer = await console.visit('/contracts', 'viewer')
  await listed(viewer.page)
  assert.equal(await viewer.page.getByText('hidden by role').count(), 2)
  assert.equal(await viewer.page.getByRole('link', { name: 'New contract' }).count(), 0)
})

test('9.3 sign both sides → active; amend the rate → the one before is outdated, and the new rate stands in Terms', async (t) => {
  const console = await business.start(t)
  const { id } = await console.pendingContract({ title: 'Harbour design' })
  const opened = await console.visit(`/contracts/${id}`, 'admin')
  const { page } = opened
  await listedTerms(page)
  await look(opened, 'contract-pending')
  await button(page, 'Invite the worker').click()
  await look(opened, 'contract-invite-dialog')
  await dialog(page).getByLabel('Your words').fill('Welcome!')
  await button(page, 'Make the invitation').click()
  await page.getByText('/invite#').waitFor()
  await look(opened, 'contract-link-dialog')
  await button(page, 'Done').click()
  await tab(page, 'Signatures').click()
  await look(opened, 'contract-signatures')
  await button(page, 'Sign for the company').click()
  await look(opened, 'contract-sign-dialog')
  await button(page, 'Sign').click()
  await heading(page, 'Waiting for Jonas Weber').waitFor()
  await button(page, 'Sign as the worker (sandbox)').click()
  await status(page, 'Active').waitFor()
  await look(opened, 'contract-active')
  for (const rate of ['4500', '4800']) await amend(page, rate, async () => look(opened, `contract-amend-${rate}`))
  await tab(page, 'Amendments').click()
  await page.getByText('2 amendments').waitFor()
  assert.deepEqual(await page.locator('.amendments .panel-head .badge').allTextContents(), ['In force', 'Replaced'])
  const [latest] = await page.locator('.amendments .table').all()
  await latest?.getByText('4,500.00').waitFor()
  await latest?.getByText('4,800.00').waitFor()
  await look(opened, 'contract-amendments')
  await tab(page, 'Terms').click()
  await page.locator('.terms').getByText('4,800.00').waitFor()
  const { body } = await console.call('GET', `/contracts/${id}/amendments`)
  assert.deepEqual(
    body.data.map((one: Body) => one.status),
    ['active', 'outdated'],
  )
})

/** The contract with its terms is there. */
const listedTerms = (page: Page) => page.locator('.terms').first().waitFor()

/** The state of the latest amendment. */
const amendmentIs = (page: Page, words: string) =>
  page.locator('.amendments > li:first-child .badge').getByText(words, { exact: true }).waitFor()

async function amend(page: Page, rate: string, before_sign: () => Promise<void>): Promise<void> {
  await page.locator('.contract-state').getByRole('button', { name: 'Amend the terms' }).click()
  await page.getByLabel('Rate').fill(rate)
  await page.getByLabel('Why the terms change').fill('Yearly raise')
  await button(page, 'Draft the amendment').click()
  await amendmentIs(page, 'Draft')
  await before_sign()
  await page.locator('.amendments').getByRole('button', { name: 'Sign for the company' }).click()
  await dialog(page).getByRole('button', { name: 'Sign', exact: true }).click()
  await amendmentIs(page, 'Waits for the worker')
  await page.locator('.amendments').getByRole('button', { name: 'Sign as the worker (sandbox)' }).click()
  await amendmentIs(page, 'In force')
  await button(page, 'Amend the terms').waitFor()
}

test('9.3 the worker’s own signature turns an open page to active without reload', async (t) => {
  const console = await business.start(t)
  const { id, worker_id } = await console.pendingContract()
  await console.done('POST', `/contracts/${id}/sign`, { signer_name: 'Nora Pine' })
  const { page } = await console.visit(`/contracts/${id}`, 'owner', { is_hurried: true })
  await heading(page, 'Waiting for Jonas Weber').waitFor()
  const token = await workerLogin(console, worker_id, console.organization.id)
  const body = { signer_name: 'Jonas Weber', terms_version: 1 }
  const { status: answered } = await console.call('POST', `/worker/contracts/${id}/sign`, { token, body })
  assert.equal(answered, 200)
  await hurry(page)
  await status(page, 'Active').waitFor()
})

test('9.3 terminate without a date → terminated, then archived; a stale second tab is told with 409', async (t) => {
  const console = await business.start(t)
  const { id } = await console.contract({ title: 'Harbour design' })
  const opened = await console.visit(`/contracts/${id}`, 'admin')
  const { page } = opened
  const stale = await opened.context.newPage()
  await stale.goto(`/console/contracts/${id}`)
  for (const one of [page, stale]) {
    await button(one, 'Terminate').click()
    await dialog(one).getByLabel('Now').check()
    await dialog(one).getByLabel('Reason (optional)').fill('The project ends.')
  }
  assert.equal(await button(page, 'End it now').isDisabled(), true)
  await dialog(page).getByLabel('Type Jonas Weber to go on').fill('Jonas Weber')
  await look(opened, 'contract-terminate-dialog')
  await button(page, 'End it now').click()
  await status(page, 'Terminated').waitFor()
  await dialog(stale).getByLabel('Type Jonas Weber to go on').fill('Jonas Weber')
  await button(stale, 'End it now').click()
  await dialog(stale).getByText('This has changed meanwhile.').waitFor()
  assert.equal(await dialog(stale).getByLabel('Reason (optional)').inputValue(), 'The project ends.')
  await look({ ...opened, page: stale }, 'contract-stale-dialog')
  await stale.keyboard.press('Escape')
  await status(stale, 'Terminated').waitFor()
  await page.getByText('the contract is over').waitFor()
  await look(opened, 'contract-terminated')
  await button(page, 'Archive').click()
  await status(page, 'Archived').waitFor()
  await button(page, 'Take out of the archive').click()
  await button(page, 'Archive').waitFor()
})

test('9.3 a termination on a date is withdrawn, an amendment too; what a step needs is said where it is not possible', async (t) => {
  const console = await business.start(t)
  const { id } = await console.contract()
  const opened = await console.visit(`/contracts/${id}`, 'admin')
  const { page } = opened
  await button(page, 'Terminate').click()
  await dialog(page).getByLabel('Last day', { exact: true }).fill(console.day(-3))
  await button(page, 'Set the last day').click()
  await page.locator('.fault').waitFor()
  await dialog(page).getByLabel('Last day', { exact: true }).fill(console.day(30))
  await button(page, 'Set the last day').click()
  await heading(page, 'Active, and ending').waitFor()
  await look(opened, 'contract-ending')
  await button(page, 'Withdraw the termination').click()
  await look(opened, 'contract-withdraw-dialog')
  await button(page, 'Withdraw it').click()
  await heading(page, /^Active$/).waitFor()
  await page.goto(`/console/contracts/${id}/amend`)
  await button(page, 'Draft the amendment').click()
  await page.getByText('Change at least one term.').waitFor()
  await chosen(page, 'Paid', 'weekly')
  await page.getByText('check the amount').waitFor()
  await page.getByLabel('Job title (optional)').fill('Lead designer')
  await look(opened, 'contract-amend')
  await button(page, 'Draft the amendment').click()
  const rows = page.locator('.amendments .table tbody tr')
  await rows.filter({ hasText: 'Lead designer' }).waitFor()
  assert.deepEqual(await rows.locator('td').allInnerTexts(), [
    ...['Rate', '4,200.00 EUR per month', '4,200.00 EUR per week'],
    ...['Paid', 'Every month', 'Every week'],
    ...['A period ends', 'on the last day of the month', 'on Sunday'],
    ...['Job title', '–', 'Lead designer'],
  ])
  await look(opened, 'contract-amendment-draft')
  await page.getByText('Other steps').click()
  await page.getByText('An amendment is open').waitFor()
  await button(page, 'Change the draft').click()
  await heading(page, 'Change the draft').waitFor()
  assert.equal(await page.getByLabel('Job title (optional)').inputValue(), 'Lead designer')
  await page.getByLabel('Job title (optional)').fill('Design lead')
  await button(page, 'Save the draft').click()
  await page.locator('.amendments .table').getByText('Design lead').waitFor()
  await button(page, 'Withdraw').click()
  await button(page, 'Withdraw it').click()
  await amendmentIs(page, 'Declined')
})

test('9.3 work, cycles and events of a contract stand beside it; a reader sees no step and no amount', async (t) => {
  const console = await business.start(t)
  const contract = await console.hourlyContract({ title: 'Support desk' })
  await console.timesheet(contract)
  await console.adjustment(contract)
  await console.send()
  const opened = await console.visit(`/contracts/${contract.id}`)
  const { page } = opened
  for (const [name, words] of [
    ['Timesheets', '1,732.50'],
    ['Adjustments', '89.90'],
    ['Cycles', 'Upcoming'],
    ['Events', 'contract.signed'],
  ] as const) {
    await tab(page, name).click()
    await page.getByText(words).first().waitFor()
    await look(opened, `contract-${name.toLowerCase()}`)
  }
  const reader = await console.visit(`/contracts/${contract.id}?tab=timesheets`, 'developer')
  await reader.page.getByText('You can read this contract.').waitFor()
  await reader.page.getByText('hidden by role').first().waitFor()
  assert.equal(await reader.page.getByRole('button', { name: 'Terminate' }).count(), 0)
  await look(reader, 'contract-reader')
  const finance = await console.visit(`/contracts/${contract.id}`, 'finance')
  await finance.page.locator('.terms').getByText('45.00').waitFor()
  assert.equal(await tab(finance.page, 'Events').count(), 0)
})

test('a pending contract is edited: what was signed is said to lapse; then it is cancelled', async (t) => {
  const console = await business.start(t)
  const { id } = await console.pendingContract({ title: 'Harbour design' })
  await console.done('POST', `/contracts/${id}/sign`, { signer_name: 'Nora Pine' })
  const opened = await console.visit(`/contracts/${id}/edit`, 'admin')
  const { page } = opened
  await page.getByText('One party has signed already.').waitFor()
  await look(opened, 'contract-edit')
  await page.getByLabel('Title of the contract').fill('Harbour redesign')
  await chosen(page, 'A period ends', 'day_of_last_week:5')
  await button(page, 'Save changes').click()
  await heading(page, 'Waiting for both signatures').waitFor()
  await page.getByText('ending on the last Friday of the month').waitFor()
  const { body } = await console.call('GET', `/contracts/${id}`)
  assert.equal(body.title, 'Harbour redesign')
  assert.equal(body.terms_version, 2)
  await page.getByText('Other steps').click()
  await button(page, 'Cancel the contract').click()
  await dialog(page).getByLabel('Reason (optional)').fill('The dates have changed.')
  await look(opened, 'contract-cancel-dialog')
  await dialog(page).getByRole('button', { name: 'Cancel the contract' }).click()
  await page.getByText('Reason: The dates have changed.').waitFor()
})

test('story: create, sign and terminate a contract, in the browser only', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/contracts/new', 'admin')
  await page.getByLabel('Employee').check()
  await button(page, 'Next').click()
  await page.getByLabel('Somebody new').check()
  await page.getByLabel('First name').fill('Jonas')
  await page.getByLabel('Last name').fill('Weber')
  await page.getByLabel('E-mail').fill('jonas@harbour.example')
  await chosen(page, 'Country', 'DE')
  await button(page, 'Next').click()
  await page.getByLabel('Title of the contract').fill('Head of harbour')
  await page.getByLabel('Start', { exact: true }).fill(console.day(-30))
  await page.getByLabel('Salary').fill('72000')
  await chosen(page, 'For each', 'yearly')
  await button(page, 'Next').click()
  await button(page, 'Create contract').click()
  await button(page, 'Sign for the company').click()
  await dialog(page).getByRole('button', { name: 'Sign', exact: true }).click()
  await button(page, 'Sign as the worker (sandbox)').click()
  await status(page, 'Active').waitFor()
  await button(page, 'Terminate').click()
  await dialog(page).getByLabel('The worker leaves').check()
  await dialog(page).getByLabel('Now').check()
  await dialog(page).getByLabel('Type Jonas Weber to go on').fill('Jonas Weber')
  await button(page, 'End it now').click()
  await status(page, 'Terminated').waitFor()
  const events = await console.takeEvents(console.organization.id)
  assert.deepEqual(
    events.map(({ event_type }) => event_type).filter((type) => type.startsWith('contract.')),
    [
      ...['contract.created', 'contract.signature.added', 'contract.signature.added', 'contract.signed'],
      ...['contract.status.updated', 'contract.terminated', 'contract.status.updated'],
    ],
  )
})
