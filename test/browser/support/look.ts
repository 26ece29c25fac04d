import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { violations } from './accessibility.ts'
import { type OpenedBrowser, takePicture } from './console.ts'

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

/** Refusals that a page is about, and being offline, which the browser itself reports as errors. */
const expected = /status of (400|401|403|404|409|422|429|500)|ERR_INTERNET_DISCONNECTED/

/**
 * Shows one page in both themes and widths. Contrast is what themes differ in; everything else is looked for in the light
 * one, at both widths. All four are looked at where pictures are made.
 */
export async function look({ page, faults }: OpenedBrowser, name: string): Promise<void> {
  // A page has its heading once its code is there, and a list is pale while it is asked again.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (name.includes('dialog')) await page.locator('dialog[open]').first().waitFor()
  await page.locator('.dimmed').first().waitFor({ state: 'detached' })
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      if (colorScheme === 'dark' && width < 1280 && !process.env.PICTURES) continue
      await page.emulateMedia({ colorScheme })
      await takePicture(page, `${name}.${colorScheme}.${width}`, { fullPage: !name.includes('dialog') })
      assert.deepEqual(await violations(page, colorScheme), [], `${name} ${colorScheme} ${width}`)
    }
    const scrolls = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    assert.equal(scrolls, false, `${name}: ${width} px scrolls sideways`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  const found = faults.filter((fault) => !expected.test(fault))
  assert.deepEqual(found, [], name)
}

/** The list of this kind is there, or what stands in its place. */
export const listed = (page: Page) => page.locator('.table:not(.dimmed), .empty').first().waitFor()
