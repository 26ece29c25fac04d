import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBusiness } from './support/business.ts'
import { assertNoFaults } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { dialog, pick, rowsOf } from './support/find.ts'
import { listed, look } from './support/look.ts'
import { demand, saved } from './support/money.ts'

const business = useBusiness()

test('9.6 a cycle: lines, VAT and total of the invoice agree with the preview, and the PDF holds the number', async (t) => {
  const console = await business.start(t)
  // Its first cycle lies ahead, whatever the day and the hour.
  const contract = await console.contract({ start_date: console.day(2), tax: { vat_rate: '19' } })
  await console.adjustment(contract, { type: 'bonus', amount: '500', description: 'Release', date: console.day(2) })
  await console.adjustment(contract, { date: console.day(2) })
  const opened = await console.visit('/invoices', 'finance')
  const { page } = opened
  await heading(page, 'No invoice yet').waitFor()
  await look(opened, 'invoices-none')
  await page.getByRole('link', { name: 'Look at the payment cycles' }).click()
  await pick(page, 'Contract', 'Jonas')
  await rowsOf(page, 'Payment cycles').first().waitFor()
  await look(opened, 'cycles')
  await rowsOf(page, 'Payment cycles').first().getByRole('link').first().click()
  const previewed = await demand(page)
  assert.equal(previewed.length, 6)
  await look(opened, 'cycle')

  const { data } = await console.done('GET', `/contracts/${contract.id}/payment-cycles`)
  await console.advance({ to: data[0].closes_at })
  await page.reload()
  await page.getByRole('link', { name: 'Open its invoice' }).click()
  await heading(page, /^INV-/).waitFor()
  assert.deepEqual(await demand(page), previewed)
  const number = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  const { name, text } = await saved(page, () => button(page, 'Download PDF').click())
  assert.equal(name, `${number}.pdf`)
  assert.ok(text.startsWith('%PDF-') && text.includes(`(${number})`), 'a document with its number')
  await look(opened, 'invoice')
  await page.getByRole('link', { name: 'Payment cycle' }).first().click()
  await page.getByText('The cycle is closed').waitFor()
  // Its number leads to it from anywhere.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, person, contract or invoice number' }).fill(number.toLowerCase())
  await page.getByRole('option', { name: number }).click()
  await heading(page, number).waitFor()
  assertNoFaults(opened)
})

test('9.6 a cycle without anything approved is skipped, and is invoiced once there is something', async (t) => {
  const console = await business.start(t)
  const contract = await console.hourlyContract({ start_date: console.day(2) })
  const { data } = await console.done('GET', `/contracts/${contract.id}/payment-cycles`)
  await console.advance({ to: data[0].closes_at })
  const path = `/invoices/cycles/${data[0].id}?contract=${contract.id}`
  const reader = await console.visit(path, 'admin')
  await heading(reader.page, 'Nothing to invoice').waitFor()
  await look(reader, 'cycle-skipped')
  await console.adjustment(contract, { date: data[0].end_date, description: 'Ferry' })
  await reader.page.reload()
  await reader.page.getByText('An owner or finance can issue it.').waitFor()
  const { page } = await console.visit(path, 'finance')
  const previewed = await demand(page)
  assert.match(previewed.join(), /Ferry/)
  await button(page, 'Issue invoice').click()
  await heading(page, /^INV-/).waitFor()
  assert.deepEqual(await demand(page), previewed)
})

test('9.6 an invoice of chosen work: issued as reviewed, cancelled with a reason, exported', async (t) => {
  const console = await business.start(t)
  const contract = await console.hourlyContract()
  await console.timesheet(contract, { description: 'Week of the release' })
  await console.adjustment(contract, { description: 'Train to Lisbon' })
  const opened = await console.visit('/invoices/new', 'finance')
  const { page } = opened
  await pick(page, 'Contract', 'Jonas')
  await page.getByLabel('Choose Train to Lisbon').check()
  await look(opened, 'invoice-new')
  await button(page, 'Review invoice of 1 item…').click()
  const reviewed = await demand(dialog(page))
  await look(opened, 'invoice-review-dialog')
  await button(page, 'Issue invoice').click()
  await heading(page, /^INV-/).waitFor()
  const issued = await demand(page.locator('main'))
  assert.deepEqual(
    issued.map((line) => line.replace(' Adjustment', '')),
    reviewed,
  )
  await page.getByText('Off-cycle').waitFor()

  await button(page, 'Cancel invoice…').click()
  await look(opened, 'invoice-cancel-dialog')
  await page.getByLabel('Reason').fill('It belongs to another month.')
  await dialog(page).getByRole('button', { name: 'Cancel invoice' }).click()
  await page.getByText('This invoice was taken back').waitFor()
  await page.getByText('It belongs to another month.').waitFor()
  await page.goto(`/console/invoices/new?contract=${contract.id}`)
  await page.getByLabel('Choose Train to Lisbon').waitFor()

  await page.goto('/console/invoices')
  await listed(page)
  await button(page, 'Export…').click()
  await page.getByLabel('From', { exact: true }).fill(console.day(-60))
  await page.getByLabel('To', { exact: true }).fill(console.day(60))
  await look(opened, 'export-dialog')
  const { name, text } = await saved(page, () => button(page, 'Download CSV').click())
  assert.equal(name, 'invoices.csv')
  assert.match(text, /Train to Lisbon/)
  await page.getByLabel('Show').selectOption({ label: 'Overdue' })
  await page.getByText('Nothing fits these filters.').waitFor()
  assertNoFaults(opened)
})
