import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import type { Body } from '#test/factories.ts'
import { assertNoFaults, beginSession, password, signIn, useBrowser } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { begun, dialog, rowsOf } from './support/find.ts'
import { listed, look } from './support/look.ts'
import { asWorker, dayFromNow, done, offered } from './support/worker.ts'

const browser = useBrowser()

/** By keyboard alone: the heading has the focus, then the address, then the password. */
const makeLogin = async (page: Page) => {
  await begun(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

const sign = async (page: Page, name = 'Jonas Weber') => {
  await page.getByLabel('Your full name, as your signature').fill(name)
  await button(page, 'Sign the contract').click()
}

test('7.4 the link makes a login, shows the terms, and the signature is of the version that was read', async (t) => {
  const console = await browser.start(t)
  const contract = await offered(console, { invitation: { message: 'We look forward to you.' } })
  await console.addMember({ email: 'nora@harbour.example' })
  const employer = await console.open(t)
  await beginSession(employer.context, console.origin, 'nora@harbour.example')
  await employer.page.goto(`/console/contracts/${contract.id}`)
  const badge = employer.page.locator('.page-title .badge').first()
  await badge.getByText('Pending', { exact: true }).waitFor()
  const opened = await console.open(t)
  const { page, context } = opened
  await page.goto(contract.link)
  await heading(page, 'Harbour Pine sends you a contract').waitFor()
  await page.getByText('We look forward to you.').waitFor()
  assert.equal(await page.getByLabel('E-mail').inputValue(), contract.worker_email)
  await makeLogin(page)
  await heading(page, 'Platform engineering').waitFor()
  await page.getByText('45.00 EUR per hour').first().waitFor()
  await page.getByText('Keeps the platform running.').waitFor()
  assert.equal(new URL(page.url()).pathname, `/console/worker/contracts/${contract.id}`)
  assert.doesNotMatch(page.url(), /#/)

  // The employer changes the pay while the worker reads: what was not read is not signed.
  await done(console, 'PATCH', `/contracts/${contract.id}`, { compensation: { amount: '40.00' } })
  await done(console, 'POST', `/contracts/${contract.id}/sign`, { signer_name: 'Nora Pine' })
  await sign(page)
  await page.getByText('The terms have changed while you were reading.').waitFor()
  const changed = page.getByRole('table', { name: 'Old and new terms' }).getByRole('row', { name: /Rate/ })
  assert.match((await changed.textContent()) ?? '', /45\.00 EUR.*40\.00 EUR/)
  await look(opened, 'worker-contract-changed')
  const { signatures } = await done(console, 'GET', `/contracts/${contract.id}`)
  assert.equal(signatures.worker_signed_at, null)
  await button(page, 'I have read the new terms').click()
  await sign(page)
  await page.getByText('Both have signed.').waitFor()
  const signed = await done(console, 'GET', `/contracts/${contract.id}`)
  assert.deepEqual([signed.status, signed.signatures.worker_name], ['active', 'Jonas Weber'])
  // The page of the employer that stood open all the while has turned by itself.
  await badge.getByText('Active', { exact: true }).waitFor()
  assertNoFaults(employer)

  await page.getByRole('link', { name: 'Hours' }).click()
  await button(page, 'Hand in hours').first().click()
  await page.getByLabel('First day').fill(dayFromNow(console, -7))
  await page.getByLabel('Last day (optional)').fill(dayFromNow(console, -3))
  await page.getByRole('textbox', { name: 'Hours' }).fill('38.5')
  await page.getByLabel('What you did').fill('Moved the database')
  await button(page, 'Hand in').click()
  await page.getByText('1,540.00').waitFor()
  await button(page, 'Jonas Weber').click()
  await button(page, 'Sign out').click()
  await heading(page, 'Sign in').waitFor()
  await signIn(page, contract.worker_email)
  await heading(page, 'Your contracts').waitFor()
  const { data } = await done(console, 'GET', '/timesheets')
  assert.deepEqual(
    data.map(({ status, quantity, submitted_by }: Body) => [status, quantity, submitted_by.kind]),
    [['pending', '38.5', 'worker']],
  )
  assert.equal(await page.evaluate('sessionStorage.getItem("stint-invitation")'), null)
  assert.deepEqual((await context.cookies()).filter(({ name }) => name === '__Host-stint_session').length, 1)
  assert.deepEqual(
    opened.faults.filter((fault) => !fault.includes('status of 409')),
    [],
  )
})

test('7.4 a link that is over says why, and what to do', async (t) => {
  const console = await browser.start(t)
  const [used, revoked, expired] = [await offered(console), await offered(console), await offered(console)]
  await asWorker(t, console, used)
  await done(console, 'POST', `/contracts/${revoked.id}/revoke-invitation`, {})
  const opened = await console.open(t)
  const { page } = opened
  // Another address of one page would not load it again.
  const open = async (link: string) => {
    await page.goto('about:blank')
    await page.goto(link)
  }
  await open(expired.link)
  await heading(page, 'Harbour Pine sends you a contract').waitFor()
  await look(opened, 'invite')
  await open(used.link)
  await page.getByText('This link was used.').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await look(opened, 'invite-used')
  await open(revoked.link)
  await page.getByText('This invitation was taken back.').waitFor()
  await open('/console/invite')
  await page.getByText('The address is not complete: the part behind # is missing.').waitFor()
  await console.clock.advance(14 * 86_400_000)
  await open(expired.link)
  await page.getByText('This invitation has expired.').waitFor()
})

test('7.4 a link is taken up by the login it is for, whoever is signed in to the browser', async (t) => {
  const console = await browser.start(t)
  const first = await offered(console)
  await asWorker(t, console, first)
  const second = await offered(console, { contract: { worker_id: first.worker_id, title: 'Second contract' } })
  await console.addMember({ email: 'nora@harbour.example' })
  const opened = await console.open(t)
  const { page, context } = opened
  await beginSession(context, console.origin, 'nora@harbour.example')
  await page.goto(second.link)
  await page.getByText('Somebody else is signed in to this browser.').waitFor()
  await look(opened, 'invite-somebody-else')
  await button(page, 'Sign out and go on').click()
  await button(page, 'Sign in and go on').click()
  await heading(page, 'Sign in').waitFor()
  assert.doesNotMatch(page.url(), new RegExp(new URL(second.link).hash.slice(1)))
  await signIn(page, first.worker_email)
  await button(page, 'Go on').click()
  await heading(page, 'Second contract').waitFor()
  await page.getByRole('link', { name: 'Your contracts' }).click()
  await begun(page, 'Your contracts')
  await rowsOf(page, 'Contracts').nth(1).waitFor()
  assert.equal(await rowsOf(page, 'Contracts').count(), 2)
  const logins = await console.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.rows(sql`select id from users`),
  )
  assert.equal(logins.length, 2)
})

test('7.4 no page of another person or of the employer opens', async (t) => {
  const console = await browser.start(t)
  const [own, other] = [await offered(console), await offered(console)]
  const { page } = await asWorker(t, console, own)
  await page.goto(`/console/worker/contracts/${other.id}`)
  await heading(page, 'There is no such contract').waitFor()
  for (const path of ['', '/contracts', `/contracts/${own.id}`, '/people', '/tokens']) {
    await page.goto(`/console${path}`)
    await page.waitForURL('**/console/worker')
    await heading(page, 'Your contracts').waitFor()
  }
  // The service refuses whatever the pages do not offer.
  const statuses = await page.evaluate(
    async ([organization, person, stranger]) => {
      const ask = async (path: string, headers: Record<string, string>) =>
        (await fetch(`/console/rest/v2${path}`, { headers: { 'stint-console': '1', ...headers } })).status
      const mine = { 'stint-organization': organization ?? '' }
      return [
        await ask('/contracts', mine),
        await ask('/contracts', { ...mine, 'stint-person': person ?? '' }),
        await ask('/worker/contracts', { ...mine, 'stint-person': stranger ?? '' }),
        await ask('/worker/contracts', { ...mine, 'stint-person': person ?? '' }),
      ]
    },
    [console.organization.id, own.worker_id, other.worker_id],
  )
  assert.deepEqual(statuses, [403, 403, 403, 200])
})

test('7.4 rejecting with a reason ends the offer; the pages of a contract in each state', async (t) => {
  const console = await browser.start(t)
  const contract = await offered(console)
  const opened = await asWorker(t, console, contract)
  const { page } = opened
  await listed(page)
  await look(opened, 'worker-contracts')
  await page.getByRole('link', { name: 'Read and sign' }).click()
  await heading(page, 'Platform engineering').waitFor()
  await button(page, 'Sign the contract').waitFor()
  await look(opened, 'worker-contract')
  await button(page, 'Reject…').click()
  await page.getByLabel('Reason (optional)').fill('The rate is too low.')
  await look(opened, 'worker-reject-dialog')
  await button(page, 'Reject the contract').click()
  await page.getByText('You rejected it: The rate is too low.').waitFor()
  const { status, status_reason } = await done(console, 'GET', `/contracts/${contract.id}`)
  assert.deepEqual([status, status_reason], ['rejected', 'The rate is too low.'])
  assert.equal(await button(page, 'Sign the contract').count(), 0)
  assertNoFaults(opened)
})

test('7.4 new terms stand beside the old ones, and are signed or declined', async (t) => {
  const console = await browser.start(t)
  const contract = await offered(console)
  const opened = await asWorker(t, console, contract, `/worker/contracts/${contract.id}`)
  const { page } = opened
  await sign(page)
  await page.getByText('Both have signed.').waitFor()
  const propose = async (terms: object, reason: string) => {
    const amendments = `/contracts/${contract.id}/amendments`
    const { id } = await done(console, 'POST', amendments, { terms, reason })
    await done(console, 'POST', `${amendments}/${id}/sign`, { signer_name: 'Nora Pine' })
    return async () => (await done(console, 'GET', `${amendments}/${id}`)).status
  }
  const raise = await propose({ amount: '48.00', scope_of_work: 'Leads the platform.' }, 'A year of good work.')
  await page.getByRole('link', { name: 'Your contracts' }).click()
  await page.getByRole('link', { name: 'Read the new terms' }).click()
  await button(page, 'Sign the new terms').waitFor()
  assert.match((await page.getByRole('row', { name: /Rate/ }).textContent()) ?? '', /45\.00 EUR.*48\.00 EUR/)
  await listed(page)
  await look(opened, 'worker-amendment')
  await page.getByLabel('Your full name, as your signature').fill('Jonas Weber')
  await button(page, 'Sign the new terms').click()
  await page.getByRole('region', { name: 'Terms', exact: true }).getByText('48.00 EUR per hour').waitFor()
  assert.equal(await raise(), 'active')
  const cut = await propose({ amount: '30.00' }, 'Savings.')
  await page.reload()
  await button(page, 'Decline…').click()
  await page.getByLabel('Reason (optional)').fill('No.')
  await button(page, 'Decline the new terms').click()
  await page.getByText('Declined: No.').waitFor()
  assert.equal(await cut(), 'declined')
  assertNoFaults(opened)
})

test('7.4 hours and expenses are handed in, changed while nobody has looked, and taken back', async (t) => {
  const console = await browser.start(t)
  const contract = await offered(console)
  const opened = await asWorker(t, console, contract, `/worker/contracts/${contract.id}`)
  const { page } = opened
  await sign(page)
  await page.getByText('Both have signed.').waitFor()
  await page.getByRole('link', { name: 'Hours' }).click()
  await page.getByText('Nothing handed in yet').waitFor()
  await look(opened, 'worker-hours-empty')
  await button(page, 'Hand in hours').click()
  await page.getByLabel('First day').fill(dayFromNow(console, -3))
  await page.getByRole('textbox', { name: 'Hours' }).fill('25')
  await page.getByLabel('What you did').fill('One day')
  await button(page, 'Hand in').click()
  await dialog(page).locator('.fault, [role=alert]').filter({ hasText: '24' }).first().waitFor()
  await look(opened, 'worker-hours-dialog')
  await page.getByRole('textbox', { name: 'Hours' }).fill('8')
  await button(page, 'Hand in').click()
  await page.getByText('360.00').waitFor()
  await button(page, 'Change').click()
  await page.getByRole('textbox', { name: 'Hours' }).fill('7.5')
  await button(page, 'Save changes').click()
  await page.getByText('337.50').waitFor()
  const declined = await done(console, 'POST', '/timesheets', {
    ...{
      contract_id: contract.id,
      start_date: dayFromNow(console, -2),
      quantity: '3',
      description: 'Entered by the company',
    },
    auto_approve: false,
  })
  await done(console, 'POST', `/timesheets/${declined.id}/review`, {
    status: 'declined',
    reason: 'That was a holiday.',
  })
  await page.reload()
  await page.getByText('That was a holiday.').waitFor()
  assert.equal(await button(page, 'Change').count(), 1)
  await listed(page)
  await look(opened, 'worker-hours')
  await button(page, 'Take back').click()
  await dialog(page).getByRole('button', { name: 'Take back' }).click()
  await page.getByText('337.50').waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Expenses' }).click()
  await button(page, 'Hand in').click()
  await page.getByLabel('Amount').fill('89.90')
  await page.getByLabel('What it is for').fill('Train to Hamburg')
  await look(opened, 'worker-expense-dialog')
  await dialog(page).getByRole('button', { name: 'Hand in' }).click()
  await page.getByText('Train to Hamburg').waitFor()
  await listed(page)
  await look(opened, 'worker-expenses')
  const { data } = await done(console, 'GET', '/invoice-adjustments')
  assert.deepEqual(
    data.map(({ type, amount, status }: Body) => [type, amount, status]),
    [['expense', '89.90', 'pending']],
  )
})

test('7.4 invoices with their PDF, time off, payout account behind the password, and profile', async (t) => {
  const console = await browser.start(t)
  const contract = await offered(console)
  const opened = await asWorker(t, console, contract, `/worker/contracts/${contract.id}`)
  const { page } = opened
  await sign(page)
  await page.getByText('Both have signed.').waitFor()

  await page.getByRole('link', { name: 'Invoices' }).click()
  await page.getByText('No invoice yet').waitFor()
  const work = { contract_id: contract.id, start_date: dayFromNow(console, -3), quantity: '8', description: 'One day' }
  const { id } = await done(console, 'POST', '/timesheets', work)
  const { number } = await done(console, 'POST', '/invoices', { contract_id: contract.id, timesheet_ids: [id] })
  await page.reload()
  await listed(page)
  await look(opened, 'worker-invoices')
  await page.getByRole('link', { name: number }).click()
  await heading(page, number).waitFor()
  await look(opened, 'worker-invoice')
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download PDF').click()])
  assert.match(file.suggestedFilename(), new RegExp(`${number}.*\\.pdf$`))

  const policy = { name: 'Vacation', leave_type: 'vacation', counting: 'working_days', annual_allowance_days: '30' }
  await done(console, 'POST', '/time-off-policies', { ...policy, is_paid: true, requires_approval: true })
  await page.getByRole('link', { name: 'Time off' }).click()
  await button(page, 'Ask for time off').click()
  // From a Monday on, whatever day it is today.
  const monday = dayFromNow(console, 8 - new Date(console.clock.now()).getUTCDay())
  await page.getByLabel('First day', { exact: true }).fill(monday)
  await look(opened, 'worker-time-off-dialog')
  await button(page, 'Ask').click()
  await page.getByText('Requested').waitFor()
  await listed(page)
  await look(opened, 'worker-time-off')
  await page.getByRole('table', { name: 'Time off' }).getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Cancel the time off').click()
  await page.getByText('Cancelled').waitFor()

  await page.getByRole('link', { name: 'Payout account' }).click()
  await page.getByText('No account yet').waitFor()
  await console.clock.advance(600_001)
  await button(page, 'Add an account').click()
  await page.getByRole('textbox', { name: 'IBAN' }).fill('DE02120300000000202051')
  await page.getByLabel('Country of the bank').selectOption('DE')
  await page.getByLabel('Currency').selectOption('EUR')
  await look(opened, 'worker-payout-dialog')
  await button(page, 'Save bank account').click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Go on').click()
  await page.getByText('DE02 1203 0000 0000 2020 51').waitFor()
  await look(opened, 'worker-payout')

  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByLabel('Phone (optional)').fill('+49305550101')
  await look(opened, 'worker-profile')
  await button(page, 'Save').click()
  await page.getByText('Saved.').waitFor()
  await button(page, 'Jonas Weber').click()
  await page.getByRole('link', { name: 'Your account' }).click()
  await heading(page, 'Your account').waitFor()
  await look(opened, 'worker-account')
  const person = await done(console, 'GET', `/people/${contract.worker_id}`)
  assert.deepEqual([person.phone, person.bank_account.iban], ['+49305550101', 'DE02120300000000202051'])
})
