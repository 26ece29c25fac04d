import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import type { Body } from '#test/factories.ts'
import type { Business } from './business.ts'

/** The file that a click stores. */
export async function saved(page: Page, click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'latin1') }
}

/** The lines and the sums that are shown, as they are read. */
export async function demand(page: Page | Locator): Promise<string[]> {
  await page.getByRole('table', { name: 'Lines' }).waitFor()
  const rows = await page.getByRole('table', { name: 'Lines' }).locator('tbody tr').allInnerTexts()
  const sums = await page.locator('.sums > div').allInnerTexts()
  return [...rows, ...sums].map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

/** A bonus or expense that is approved, put on an invoice of its own. */
export async function offCycle(console: Business, contract: Body, fields: object = {}): Promise<Body> {
  const { id } = await console.adjustment(contract, { date: console.day(0), ...fields })
  return console.done('POST', '/invoices', { contract_id: contract.id, invoice_adjustment_ids: [id] })
}
