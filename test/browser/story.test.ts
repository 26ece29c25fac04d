import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noteSecret } from '#test/secrets.ts'
import { assertNoFaults, password } from './support/console.ts'
import { button, type Developer, email, heading, useDeveloper } from './support/developer.ts'
import { begun, dialog, pick, rowOf } from './support/find.ts'
import { demand } from './support/money.ts'

const developer = useDeveloper()
const modules = ['People', 'Contracts', 'Timesheets', 'Invoice adjustments', 'Accounting']

/** Each chapter presses what a person would; nothing is made behind the pages. */
test('the whole story, in the browser alone: from the set-up link to a payment that arrived, and what the receiver was told', async (t) => {
  const console = await developer.start(t)
  const day = (days: number) => new Date(console.clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const owner = await console.open(t)
  const { page } = owner
  await setUp(page, await console.makeLink())
  const token = await makeToken(page)
  await subscribe(page, console.receiver.url)

  await addPerson(page)
  await writeContract(page, day(-30))
  await page.getByText('45.00 EUR per hour').first().waitFor()
  const link = await signAndInvite(page)
  const worker = await console.open(t)
  await signAsWorker(worker.page, link)
  await page.locator('.page-title .badge').getByText('Active', { exact: true }).waitFor()

  await amend(page, '48')
  await worker.page.reload()
  await worker.page.getByLabel('Your full name, as your signature').fill('Jonas Weber')
  await button(worker.page, 'Sign the new terms').click()
  await worker.page.getByRole('region', { name: 'Terms', exact: true }).getByText('48.00 EUR per hour').waitFor()

  await handInHours(worker.page, [day(-7), day(-3)])
  await addAccount(worker.page)
  await approveHours(page)
  await addBonus(page, day(-1))
  const lines = await issueInvoice(page)
  assert.deepEqual(lines.slice(-1), ['Total 1,982.50 EUR'])
  await pay(page)

  await console.send()
  assert.deepEqual(told(console), [
    ...['person.created', 'contract.created', 'person.updated'],
    ...['contract.signature.added', 'contract.invitation.sent', 'contract.signature.added', 'contract.signed'],
    ...['contract.status.updated', 'person.updated'],
    ...['contract.amendment.created', 'contract.amendment.signed', 'contract.amendment.status.updated'],
    ...['contract.amendment.signed', 'contract.amendment.status.updated', 'contract.amended'],
    ...['timesheet.created', 'person.bank-account.updated', 'timesheet.reviewed'],
    ...['invoice-adjustment.created', 'invoice-adjustment.reviewed'],
    ...['invoice.created', 'timesheet.status.updated', 'invoice-adjustment.status.updated'],
    ...['payment.created', 'payment.initiated', 'invoice.status.updated'],
    ...['payment.completed', 'invoice.paid', 'invoice.status.updated'],
    ...['timesheet.status.updated', 'invoice-adjustment.status.updated'],
  ])
  assert.equal((await console.call('GET', '/payments', { token })).body.data[0].status, 'completed')
  for (const opened of [owner, worker]) assertNoFaults(opened)
})

/** The events that the receiver heard, in the order in which it happened: deliveries of one moment may arrive in any. */
const told = ({ receiver }: Developer): string[] =>
  receiver.requests
    .map(({ body }) => JSON.parse(String(body)).data.meta)
    .sort((a, b) => (a.event_id < b.event_id ? -1 : 1))
    .map(({ event_type }) => event_type)

async function setUp(page: Page, link: string): Promise<void> {
  await page.goto(`/console/set-up#${link}`)
  await page.getByLabel('Your name').fill('Nora Pine')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Organization').fill('Harbour Pine')
  await page.getByLabel('Currency').selectOption('EUR')
  await button(page, 'Create organization and sign in').click()
  await heading(page, 'Your first contract').waitFor()
}

async function makeToken(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Create a token' }).click()
  await page.getByLabel('Name').fill('Accounting export')
  await page.getByRole('group', { name: 'Accounting' }).getByLabel('Read').check()
  await button(page, 'Create token').click()
  await heading(page, 'Your new token').waitFor()
  const token = noteSecret((await page.getByRole('group', { name: 'token', exact: true }).textContent()) ?? '')
  await button(page, 'I have saved it').click()
  return token
}

async function subscribe(page: Page, url: string): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('link', { name: 'Create the first webhook' }).click()
  await page.getByLabel('URL of the receiver').fill(url)
  for (const name of modules) {
    const module = page.locator('details.module', {
      has: page.locator('summary', { hasText: new RegExp(`^${name} `) }),
    })
    await module.locator('summary').click()
    await module.getByRole('button', { name: 'Choose all of these' }).click()
  }
  await button(page, 'Create webhook').click()
  await heading(page, 'The signing key').waitFor()
  await button(page, 'I have saved it').click()
}

async function addPerson(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('link', { name: 'Add' }).first().click()
  await page.getByLabel('First name').fill('Jonas')
  await page.getByLabel('Last name').fill('Weber')
  await page.getByLabel('Work e-mail').fill('jonas@harbour.example')
  await page.getByLabel('Country (optional)').selectOption('DE')
  await button(page, 'Add person').click()
  await heading(page, 'Jonas Weber').waitFor()
}

async function writeContract(page: Page, start_date: string): Promise<void> {
  await page.getByRole('link', { name: 'Contracts', exact: true }).first().click()
  await page.getByRole('link', { name: 'Write the first contract' }).click()
  await page.getByLabel('Pay as you go').check()
  await button(page, 'Next').click()
  await begun(page, 'Person')
  await pick(page, 'Person', 'Jonas Weber')
  await button(page, 'Next').click()
  await page.getByLabel('Title of the contract').fill('Support desk')
  await page.getByLabel('Start', { exact: true }).fill(start_date)
  await page.getByLabel('Rate').fill('45')
  await button(page, 'Next').click()
  await button(page, 'Create contract').click()
}

async function signAndInvite(page: Page): Promise<string> {
  await button(page, 'Sign for the company').click()
  await dialog(page).getByRole('button', { name: 'Sign', exact: true }).click()
  await heading(page, 'Waiting for Jonas Weber').waitFor()
  await button(page, 'Invite the worker').click()
  await button(page, 'Make the invitation').click()
  const link = (await page.getByRole('group', { name: 'invitation link' }).textContent()) ?? ''
  noteSecret(new URL(link).hash.slice(1))
  await button(page, 'Done').click()
  return link
}

async function signAsWorker(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Choose a password').fill(password)
  await button(page, 'Make the login and go on').click()
  await page.getByLabel('Your full name, as your signature').fill('Jonas Weber')
  await button(page, 'Sign the contract').click()
  await page.getByText('Both have signed.').waitFor()
}

async function amend(page: Page, rate: string): Promise<void> {
  await button(page, 'Amend the terms').click()
  await page.getByLabel('Rate').fill(rate)
  await page.getByLabel('Why the terms change').fill('Yearly raise')
  await button(page, 'Draft the amendment').click()
  await page.locator('.amendments').getByRole('button', { name: 'Sign for the company' }).click()
  await dialog(page).getByRole('button', { name: 'Sign', exact: true }).click()
  await page.locator('.amendments .badge').getByText('Waits for the worker').waitFor()
}

async function handInHours(page: Page, [from, to]: [string, string]): Promise<void> {
  await page.getByRole('link', { name: 'Hours' }).click()
  await button(page, 'Hand in hours').first().click()
  await page.getByLabel('First day').fill(from)
  await page.getByLabel('Last day (optional)').fill(to)
  await page.getByRole('textbox', { name: 'Hours' }).fill('38.5')
  await page.getByLabel('What you did').fill('Last week')
  await button(page, 'Hand in').click()
  await page.getByText('1,732.50').waitFor()
}

async function addAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Payout account' }).click()
  await button(page, 'Add an account').click()
  await page.getByRole('textbox', { name: 'IBAN' }).fill('DE02120300000000202051')
  await page.getByLabel('Country of the bank').selectOption('DE')
  await page.getByLabel('Currency').selectOption('EUR')
  await button(page, 'Save bank account').click()
  await page.getByText('DE02 1203 0000 0000 2020 51').waitFor()
}

async function approveHours(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Timesheets', exact: true }).first().click()
  await rowOf(page, 'Last week').getByRole('button', { name: 'Approve' }).click()
  await dialog(page).getByRole('button', { name: 'Approve timesheet' }).click()
  await page.getByText('1 timesheet approved.').waitFor()
}

async function addBonus(page: Page, date: string): Promise<void> {
  await page.getByRole('link', { name: 'Adjustments', exact: true }).first().click()
  await button(page, 'Add adjustment').click()
  await pick(dialog(page), 'Contract', 'Support')
  await dialog(page).getByLabel('Amount').fill('250')
  await dialog(page).getByLabel('Date (optional)').fill(date)
  await dialog(page).getByLabel('Description').fill('Release on time')
  await dialog(page).getByRole('button', { name: 'Add adjustment' }).click()
  await page.getByText('The adjustment is added.').waitFor()
}

async function issueInvoice(page: Page): Promise<string[]> {
  await page.getByRole('link', { name: 'Invoices', exact: true }).click()
  await page.getByRole('link', { name: 'New invoice' }).first().click()
  await pick(page, 'Contract', 'Support')
  for (const name of ['Last week', 'Release on time']) await page.getByLabel(`Choose ${name}`).check()
  await button(page, 'Review invoice of 2 items…').click()
  await button(page, 'Issue invoice').click()
  await heading(page, /^INV-/).waitFor()
  return demand(page.locator('main'))
}

async function pay(page: Page): Promise<void> {
  await button(page, 'Pay…').click()
  await dialog(page).getByRole('button', { name: 'Pay 1,982.50 EUR' }).click()
  await button(page, 'Record settlement…').click()
  await button(page, 'Record settlement').click()
  await page.getByText('Completed').waitFor()
}
