import type { Locator, Page } from 'playwright-core'

/** Of the tables on a page those that show what was asked for last: rows of a former view stay, pale, until the next come. */
const upToDate = 'table:not([aria-busy="true"])'

/** The row that holds these words, in a table that is up to date. */
export const rowOf = (within: Page | Locator, words: string): Locator =>
  within.locator(`${upToDate} tr`).filter({ hasText: words })

/** The rows of one table, below its head, once they are up to date. */
export const rowsOf = (page: Page, table: string): Locator =>
  page.getByRole('table', { name: table }).and(page.locator(upToDate)).locator('tbody tr')

/** The dialog or drawer on top. */
export const dialog = (page: Page): Locator => page.getByRole('dialog').last()

/** Goes to another view of a page and waits until the page says that it is there. */
export async function view(page: Page, name: string): Promise<void> {
  const link = page.locator('main').getByRole('link', { name, exact: true })
  await link.click()
  await link.and(page.locator('[aria-current]')).waitFor()
}

/** Nothing on the page is waited for any more, so that what is not there will not come either. */
export const settled = (page: Page): Promise<void> =>
  page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })

/** The heading of a page or a step that has come has the focus: it takes none from what is pressed next. */
export const begun = (page: Page, words = ''): Promise<void> =>
  page.locator('h1:focus, h2:focus').filter({ hasText: words }).waitFor()

/** Chooses one of many by name, whatever else is listed while the service looks for what was typed. */
export async function pick(within: Page | Locator, label: string, name: string): Promise<void> {
  await within.getByRole('combobox', { name: label, exact: true }).fill(name)
  await within.getByRole('option', { name }).click()
}

/** Types into the search box of a list, and goes on when it is asked for: that is a moment later. */
export async function searchFor(page: Page, text: string): Promise<void> {
  await page.getByLabel('Search', { exact: true }).fill(text)
  await page.waitForURL(({ searchParams }) => (searchParams.get('q') ?? searchParams.get('search') ?? '') === text)
}

const copied_within_ms = 10_000

/** The text that a press copies, a moment after it. */
export async function copied(page: Page, button: Locator): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText('')`)
  await button.click()
  return page.evaluate<string>(`(async () => {
    const end = performance.now() + ${copied_within_ms}
    for (let text = ''; ; await new Promise(requestAnimationFrame)) {
      text = await navigator.clipboard.readText()
      if (text || performance.now() > end) return text
    }
  })()`)
}
