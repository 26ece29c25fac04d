import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { useBusiness } from './support/business.ts'
import { assertNoFaults, type OpenedBrowser, password } from './support/console.ts'
import { button, heading, hurry } from './support/developer.ts'
import { dialog, rowOf, rowsOf } from './support/find.ts'
import { listed, look } from './support/look.ts'
import { demand, offCycle, saved } from './support/money.ts'

const business = useBusiness()

test('9.7 two invoices are paid at once, a double click makes one payment, the receiver hears that it arrived', async (t) => {
  const console = await business.start(t)
  const contract = await console.contract({ start_date: console.day(0) })
  const paid = await offCycle(console, contract, { amount: '100.10' })
  await offCycle(console, contract, { amount: '200.20' })
  const foreign = await console.contract({
    start_date: console.day(0),
    compensation: { amount: '4200.00', currency: 'USD', frequency: 'monthly' },
  })
  await offCycle(console, foreign)
  await console.subscribe({ events: ['payment.completed'], sensitive_data: ['compensation'] })
  const opened = await console.visit('/invoices?show=pending', 'finance')
  const { page } = opened
  await button(page, 'Choose all 3 pending').click()
  await page.getByText('A payment has one currency.').waitFor()
  assert.ok(await button(page, 'Pay 3 invoices…').isDisabled())
  await look(opened, 'invoices-mixed-currencies')
  await button(page, 'Only 2 in EUR').click()
  // The password was given too long ago for money.
  await console.clock.advance(660_000)
  await button(page, 'Pay 2 invoices…').click()
  await dialog(page).getByLabel('Password', { exact: true }).fill(password)
  await look(opened, 'pay-proof-dialog')
  await dialog(page).getByRole('button', { name: 'Go on' }).click()
  await dialog(page).getByText('300.30 EUR', { exact: true }).waitFor()
  await page.getByLabel('Reference (optional)').fill('June')
  await dialog(page).getByText('1 worker has no bank account').waitFor()
  await look(opened, 'pay-dialog')
  const account = { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }
  await console.done('PUT', `/people/${contract.worker_id}/bank-account`, account)
  await dialog(page).getByRole('button', { name: 'Pay 300.30 EUR' }).dblclick()
  await heading(page, 'PAY-').waitFor()
  await page.getByText('Who gets what').waitFor()
  await listed(page)
  await rowOf(page, paid.number).getByText('DE02 1203 0000 0000 2020 51').waitFor()
  await look(opened, 'payment-processing')
  const { total_count } = await console.done('GET', '/payments')
  assert.equal(total_count, 1)

  await button(page, 'Record settlement…').click()
  await page.getByLabel('Fee of the bank (optional)').fill('2.505')
  await dialog(page).getByRole('button', { name: 'Record settlement' }).click()
  await page.locator('.fault').waitFor()
  await page.getByLabel('Fee of the bank (optional)').fill('2.50')
  await look(opened, 'settle-dialog')
  await dialog(page).getByRole('button', { name: 'Record settlement' }).click()
  await page.getByText('Completed').waitFor()
  await page.getByText('Arrived', { exact: true }).waitFor()
  await look(opened, 'payment-completed')
  const { data } = await console.done('GET', '/invoices?statuses=paid')
  assert.equal(data.length, 2)
  await console.send()
  const [told] = await console.receiver.waitFor(1)
  const [{ total, fee, invoices }] = JSON.parse(String(told?.body)).data.resource
  assert.deepEqual([total, fee, invoices.length], ['300.30', '2.50', 2])
  await page.goto('/console/invoices')
  await rowOf(page, paid.number).getByText('Paid', { exact: true }).waitFor()
  await look(opened, 'invoices')
})

test('9.7 with a second person the maker’s Approve is off; the other approves, and a failure can be paid again', async (t) => {
  const console = await business.start(t)
  const contract = await console.contract({ start_date: console.day(0) })
  const invoice = await offCycle(console, contract)
  const withdrawn = await offCycle(console, contract)
  await console.done('PATCH', `/organizations/${console.organization.id}`, {
    settings: { payment_approval: 'second_person' },
  })
  const maker = await console.visit(`/invoices/${withdrawn.id}`, 'finance', { is_hurried: true })
  const pay = async ({ page }: OpenedBrowser) => {
    await button(page, 'Pay…').click()
    await dialog(page).getByRole('button', { name: 'Send for approval' }).click()
    await heading(page, 'PAY-').waitFor()
  }
  await pay(maker)
  await button(maker.page, 'Withdraw…').click()
  await look(maker, 'withdraw-dialog')
  await dialog(maker.page).getByRole('button', { name: 'Withdraw payment' }).click()
  await maker.page.getByText('Withdrawn').waitFor()

  await maker.page.goto(`/console/invoices/${invoice.id}`)
  await pay(maker)
  await maker.page.getByText('You made this payment').waitFor()
  assert.ok(await button(maker.page, 'Approve…').isDisabled())
  await look(maker, 'payment-pending-approval')
  const path = new URL(maker.page.url()).pathname.replace('/console', '')

  const reader = await console.visit(path, 'admin')
  await reader.page.getByText('Waits for a second person').waitFor()
  assert.equal(await button(reader.page, 'Approve…').count(), 0)
  const second = await console.visit('/', 'owner')
  await second.page.getByRole('link', { name: '1 payment to approve' }).waitFor()
  await second.page.goto(`/console${path}`)
  await button(second.page, 'Approve…').click()
  await look(second, 'approve-dialog')
  await dialog(second.page).getByRole('button', { name: 'Approve', exact: true }).click()
  await second.page.getByText('Pay it through your bank').waitFor()
  await button(second.page, 'Record failure…').click()
  await second.page.getByLabel('Reason').fill('The account is closed.')
  await look(second, 'fail-dialog')
  await dialog(second.page).getByRole('button', { name: 'Record failure' }).click()
  await second.page.getByText('This payment did not arrive').waitFor()
  await look(second, 'payment-failed')
  // The step of the other is seen without a reload.
  await hurry(maker.page)
  await maker.page.getByText('This payment did not arrive').waitFor()
  await button(maker.page, 'Pay again…').click()
  await dialog(maker.page).getByRole('button', { name: 'Send for approval' }).click()
  await maker.page.getByText('You made this payment').waitFor()
  await maker.page.goto('/console/payments')
  await listed(maker.page)
  await look(maker, 'payments')
})

test('9.7 a payment that its provider controls cannot be ended by hand', async (t) => {
  const console = await business.start(t, { is_sandbox: false })
  const contract = await console.contract({ start_date: console.day(0) })
  const { id } = await offCycle(console, contract)
  const payment = await console.done('POST', '/payments', { invoice_ids: [id] })
  const { id: organization_id } = console.organization
  await console.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`update payments set provider = 'bank_of_tests' where id = ${payment.id}`),
  )
  const opened = await console.visit(`/payments/${payment.id}`, 'finance')
  const { page } = opened
  await page.getByText('tells how it ends').waitFor()
  assert.equal(await button(page, 'Record settlement…').count(), 0)
  await look(opened, 'payment-provider-controlled')
})

test('the ledger: accounts, the trial balance of a day, transactions with their lines, and the export', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/ledger', 'admin')
  const { page } = opened
  await heading(page, 'Nothing was booked by then').waitFor()
  const contract = await console.contract({ start_date: console.day(0), tax: { vat_rate: '19' } })
  const first = await offCycle(console, contract, { type: 'bonus', amount: '1000', description: 'Release' })
  const second = await offCycle(console, contract)
  const { id } = await console.done('POST', '/payments', { invoice_ids: [first.id] })
  await console.done('POST', `/payments/${id}/settle`, { fee: '2.50' })
  await console.done('POST', `/invoices/${second.id}/cancel`, { reason: 'Twice.' })

  await page.reload()
  const balance = page.getByRole('table', { name: /Trial balance in EUR/ })
  await balance.getByText('Owed to workers').waitFor()
  await page.getByText('Balanced', { exact: true }).waitFor()
  const total = await balance.locator('tfoot td').allInnerTexts()
  assert.equal(total[0], total[1])
  await look(opened, 'ledger-balance')
  await page.getByLabel('At the end of').fill(console.day(-1))
  await heading(page, 'Nothing was booked by then').waitFor()

  await page.getByRole('link', { name: 'Accounts' }).click()
  await rowOf(page, 'Owed to workers').getByText('Jonas Weber').waitFor()
  await look(opened, 'ledger-accounts')
  await page.getByRole('link', { name: 'Payment fees' }).click()
  await page.getByText('1 transaction', { exact: true }).waitFor()
  await button(page, 'Show all').click()
  await page.getByText('5 transactions', { exact: true }).waitFor()
  await look(opened, 'ledger-transactions')
  await page.getByLabel('Show').selectOption({ label: 'Reversal' })
  await page.getByText('1 transaction', { exact: true }).waitFor()
  await rowsOf(page, 'Transactions').getByRole('link').first().click()
  await dialog(page).getByText('Reverses').waitFor()
  await rowOf(dialog(page), 'Owed to workers').getByText('89.90').waitFor()
  await look(opened, 'ledger-transaction-dialog')
  await page.keyboard.press('Escape')

  await button(page, 'Export…').click()
  await page.getByLabel('From', { exact: true }).fill(console.day(-1))
  await page.getByLabel('To', { exact: true }).fill(console.day(1))
  const { name, text } = await saved(page, () => button(page, 'Download CSV').click())
  assert.deepEqual([name, text.split('\r\n').length - 1], ['ledger.csv', 1 + 12])
  const viewer = await console.visit('/ledger', 'viewer')
  await heading(viewer.page, 'Not with your role').waitFor()
  assertNoFaults(opened)
})

test('a cycle is closed and its payment settled, in the browser alone', async (t) => {
  const console = await business.start(t)
  const contract = await console.contract({
    ...{ type: 'milestone', start_date: console.day(2), tax: { vat_rate: '19' } },
    compensation: { currency: 'EUR', frequency: 'monthly' },
  })
  const milestone = { type: 'milestone', amount: '1732.50', description: 'Beta', date: console.day(2) }
  await console.adjustment(contract, milestone)
  const opened = await console.visit(`/contracts/${contract.id}`, 'owner')
  const { page } = opened
  await page.getByRole('link', { name: 'Cycles', exact: true }).click()
  await rowsOf(page, 'Payment cycles of the contract').getByRole('link').first().click()
  const previewed = await demand(page)
  assert.deepEqual(previewed.slice(1), ['Subtotal 1,732.50 EUR', 'VAT 19 % 329.18 EUR', 'Total 2,061.68 EUR'])

  const end = await page.locator('.banner time').getAttribute('datetime')
  const after = new Date(Date.parse(`${end}T12:00:00Z`) + 86_400_000).toISOString()
  await page.getByRole('button', { name: /^Test clock/ }).click()
  await page.getByLabel('To this time').fill(after.slice(0, 16))
  await button(page, 'Advance…').click()
  await button(page, 'Move the clock').click()
  await page.getByText('The clock has moved').waitFor()
  await page.keyboard.press('Escape')
  // The closed cycle shows what its invoice contains, and so does the invoice.
  const invoice = page.getByRole('link', { name: 'Open its invoice' })
  await invoice.waitFor()
  assert.deepEqual(await demand(page), previewed)
  await look(opened, 'cycle-closed')
  await invoice.click()
  await heading(page, /^INV-/).waitFor()
  assert.deepEqual(await demand(page), previewed)

  await button(page, 'Pay…').click()
  await button(page, 'Pay 2,061.68 EUR').click()
  await button(page, 'Record settlement…').click()
  await button(page, 'Record settlement').click()
  await page.getByText('Completed').waitFor()
  await rowsOf(page, 'Breakdown').getByRole('link', { name: /^INV-/ }).click()
  await heading(page, /^INV-/).waitFor()
  await page.getByText('Paid', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Its postings in the ledger' }).click()
  await page.getByText('1 transaction', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Trial balance' }).click()
  await page.getByText('Balanced', { exact: true }).waitFor()
  assertNoFaults(opened)
})
