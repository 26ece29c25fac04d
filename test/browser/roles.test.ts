import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBusiness } from './support/business.ts'
import { furnish, go, pathOf, places, roles } from './support/places.ts'

const business = useBusiness()

const inNavigation = (page: Page) =>
  page
    .locator('nav.side a[href^="/console"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.replace('/console', '') || '/'))

test('every role sees the pages and the actions that the table of roles gives it, and no others', async (t) => {
  const console = await business.start(t)
  const ids = await furnish(console)
  for (const [index, role] of roles.entries()) {
    await t.test(role, async () => {
      const { page } = await console.visit('/apps', role)
      const shown = await inNavigation(page)
      const wrong: string[] = []
      let at = ''
      for (const [template, rights, action] of places) {
        const right = rights[index]
        const path = pathOf(template, ids)
        if (at !== path) await go(page, path)
        at = path
        const refused = await page.getByRole('heading', { name: 'Not with your role' }).count()
        if (refused > 0 !== (right === '-')) wrong.push(`${template}: ${refused ? 'refused' : 'shown'}`)
        if (refused > 0 || !action) continue
        const control = page.locator('main').locator('button, a.button').filter({ hasText: action })
        const isThere =
          right === 'W'
            ? await control
                .first()
                .waitFor()
                .then(() => true)
                .catch(() => false)
            : (await control.count()) > 0
        const creates = isThere && /^(Add|New|Invite) \w+$/.test(String(action)) && !template.endsWith('/new')
        const key = creates ? await control.first().getAttribute('aria-keyshortcuts') : 'c'
        if (key !== 'c') wrong.push(`${template}: ${action} has no key`)
        if (isThere !== (right === 'W')) wrong.push(`${template}: ${action} is ${isThere ? 'there' : 'missing'}`)
      }
      const allowed = places.filter(
        ([path, rights]) => !/[{?]|new$|cycles$|account$/.test(path) && rights[index] !== '-',
      )
      assert.deepEqual(wrong, [])
      assert.deepEqual(shown.toSorted(), [...new Set(allowed.map(([path]) => path))].toSorted())
    })
  }
})
