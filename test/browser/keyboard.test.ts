import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBusiness } from './support/business.ts'
import { furnish, go, pathOf, places } from './support/places.ts'
import { asWorker, offered } from './support/worker.ts'

const business = useBusiness()

/**
 * Everything on the page that can be acted on, each with a number; of radios one counts for its group, which is walked by arrows.
 * A part that is shut in a `<details>` is reached after it is opened. Beside a field that looks while one types stands a button for the
 * mouse, and what the form sends: the arrows open the list from the field itself.
 */
const numbered = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  const aside = ':disabled, .combobox > .inside, input[aria-hidden="true"]'
  const shown = all.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(aside))
  const groups = new Set()
  const counted = shown.filter((one) => {
    if (one.type !== 'radio') return true
    if (groups.has(one.name)) return false
    return groups.add(one.name)
  })
  counted.forEach((one, number) => { one.dataset.number = one.type === 'radio' ? 'radio ' + one.name : number })
  return counted.map((one) => [one.dataset.number, (one.ariaLabel || one.textContent || one.name || one.id).trim().slice(0, 40)])
})()`

/** The element with the focus, and whether somebody sees that: an outline around it, or around the label that is seen in its place. */
const focused = `(() => {
  const { activeElement: one } = document
  if (!one || one === document.body) return null
  const isOutlined = (shown) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(shown)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  }
  const name = one.type === 'radio' ? 'radio ' + one.name : one.dataset.number
  return [name ?? '', isOutlined(one) || (one.closest('label') !== null && isOutlined(one.closest('label')))]
})()`

/** Presses Tab until everything was reached, or as often as there are controls, and a few times more. */
async function walk(page: Page, tries = 3): Promise<string[]> {
  const controls = new Map(await page.evaluate<[string, string][]>(numbered))
  assert.ok(controls.size > 3)
  const left = new Map(controls)
  // A field of a date has several places for the focus, each seen in a way of its own.
  const unseen = new Map(controls)
  const presses_max = controls.size + 20
  for (let presses = 0; presses < presses_max && left.size > 0; presses += 1) {
    await page.keyboard.press('Tab')
    const reached = await page.evaluate<[string, boolean] | null>(focused)
    if (reached === null) continue
    const [number, isSeen] = reached
    left.delete(number)
    if (isSeen) unseen.delete(number)
  }
  // A field whose choices have come meanwhile is another one.
  const isThere = (number: string) => page.locator(`[data-number="${number}"]`).count()
  const gone = (await Promise.all([...left.keys()].map(isThere))).includes(0)
  if (gone && tries > 1) return walk(page, tries - 1)
  const [missed, dim] = [[...left.values()], [...unseen].filter(([number]) => !left.has(number))]
  return [
    ...missed.map((words) => `${words}: not reached`),
    ...dim.map(([, words]) => `${words}: its focus is not seen`),
  ]
}

test('every control of every page is reached by Tab, and shows that it has the focus', async (t) => {
  const console = await business.start(t)
  const ids = await furnish(console)
  const { page } = await console.visit('/')
  for (const template of new Set(places.map(([path]) => path))) {
    await t.test(template, async () => {
      await go(page, pathOf(template, ids))
      assert.deepEqual(await walk(page), [])
    })
  }
})

test('so is every control of the pages of workers', async (t) => {
  const console = await business.start(t, { is_sandbox: false })
  const contract = await offered(console)
  const { page } = await asWorker(t, console, contract)
  const paths = await page
    .locator('a[href^="/console/worker"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  assert.ok(paths.length >= 6)
  for (const path of [...new Set(paths), `/console/worker/contracts/${contract.id}`, '/console/worker/account']) {
    await t.test(path, async () => {
      await page.goto(path)
      await page.locator('main h1').waitFor()
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
      assert.deepEqual(await walk(page), [])
    })
  }
})

test('the walk finds a control that Tab leaves out, and one whose focus is not seen', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/apps')
  await page.evaluate(`
    document.querySelector('main').insertAdjacentHTML('beforeend', '<button tabindex="-1">Left out</button><button>Unseen</button>')
    document.querySelector('main button:last-child').style.outline = 'none'`)
  assert.deepEqual(await walk(page), ['Left out: not reached', 'Unseen: its focus is not seen'])
})
