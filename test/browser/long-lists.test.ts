import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBusiness } from './support/business.ts'
import { button } from './support/developer.ts'
import { look } from './support/look.ts'

const business = useBusiness()
const teams = 260
const nameOf = (number: number) => `Team ${String(number).padStart(3, '0')}`

test('a long list holds the rows in sight alone, tells where they stand, and shows the first and the last', async (t) => {
  const console = await business.start(t)
  for (let number = 1; number <= teams; number += 1) {
    const { status } = await console.call('POST', '/teams', { body: { name: nameOf(number) } })
    assert.equal(status, 201)
  }
  const opened = await console.visit('/structure?view=teams')
  const { page } = opened
  const rows = page.getByRole('table', { name: 'Teams' }).locator('tbody tr:not(.gap)')
  const [first, last] = [nameOf(teams), nameOf(1)].map((name) => rows.filter({ hasText: name }))
  await first?.waitFor()
  const more = button(page, 'Load more')
  while (await more.isVisible()) {
    const before = await page.getByText(/^\d+ of 260 teams$/).textContent()
    await more.click()
    await page.getByText(before ?? '', { exact: true }).waitFor({ state: 'detached' })
  }
  await page.getByText('260 teams', { exact: true }).waitFor()
  await page.locator('table.long tbody tr.gap').first().waitFor({ state: 'attached' })
  assert.ok((await rows.count()) < 100, 'most rows are not in the page')
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await last?.waitFor()
  assert.equal(await last?.getAttribute('aria-rowindex'), String(teams + 1))
  assert.equal(await first?.count(), 0)
  await look(opened, 'long-list')
  await page.evaluate('scrollTo(0, 0)')
  await first?.waitFor()
})
