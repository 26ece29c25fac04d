import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { oncePerRun } from '#test/once-per-run.ts'
import { build, type Console, useBrowser } from './support/console.ts'
import { button } from './support/developer.ts'
import { dialog } from './support/find.ts'
import { look } from './support/look.ts'

const browser = useBrowser()
const folder = fileURLToPath(new URL('../../console/src/components/', import.meta.url))

/** Files of components that have no place of their own on the page. */
const elsewhere: Record<string, string> = {
  'combobox-parts': 'loads with the first combobox',
  'decimal-field': 'what fields of numbers have alike: money-field, work-fields',
  'failed-page': 'a whole page, looked at in states.test.ts',
  loading: 'a whole page, for a moment',
  offline: 'shows while there is no connection: states.test.ts',
  page: 'a whole page: every page of pages.test.ts',
  'seen-rows': 'loads with the first long table',
}

/** The page is built by itself and answered by the test: it is no part of what is installed. */
async function openDemo({ origin }: Console, page: Page): Promise<void> {
  const built = await oncePerRun('demo', (out) =>
    promisify(execFile)(process.execPath, [build, '--mode', 'demo', '--outDir', out, '--logLevel', 'error']),
  )
  const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
  const headers = {
    'content-security-policy': (await page.request.get('/console')).headers()['content-security-policy'] ?? '',
  }
  await page.route(`${origin}/console/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const file = pathname === '/console/demo' ? 'demo.html' : pathname.slice('/console/'.length)
    // The cast holds because another end finds no type.
    const type = types[file.split('.').at(-1) as keyof typeof types] ?? 'text/html'
    await route.fulfill({ contentType: type, headers, body: await readFile(join(built, file)) })
  })
  await page.goto('/console/demo')
  await page.locator('[data-demo]').first().waitFor()
  await page.getByRole('combobox', { name: 'Person', exact: true }).waitFor()
}

test('every component has its place on the demo page, which is flawless in both themes and widths', async (t) => {
  const console = await browser.start(t)
  const opened = await console.open(t)
  await openDemo(console, opened.page)
  const shown = await opened.page.locator('[data-demo]').evaluateAll((all) => all.map((one) => one.dataset.demo ?? ''))
  const files = (await readdir(folder)).map((name) => name.replace(/\.tsx?$/, ''))
  assert.deepEqual([...shown, ...Object.keys(elsewhere)].sort(), files.sort())
  await opened.page.getByText('Loading').first().waitFor()
  await look(opened, 'components')
})

test('so is every dialog of it, which Esc closes and which gives the focus back', async (t) => {
  const console = await browser.start(t)
  const opened = await console.open(t)
  const { page } = opened
  await openDemo(console, page)
  const names = await page
    .getByRole('button', { name: /^Open (box|wide|drawer|confirm|form|secret)$/ })
    .allTextContents()
  assert.equal(names.length, 6)
  for (const name of names) {
    await button(page, name).press('Enter')
    await dialog(page).getByRole('heading').and(page.locator(':focus')).waitFor()
    await look(opened, `component-${name.replace('Open ', '')}-dialog`)
    await page.keyboard.press('Escape')
    if (name === 'Open secret') await button(page, 'Close, it is not needed').click()
    await button(page, name).and(page.locator(':focus')).waitFor()
  }
})

test('a field that looks while one types is used by keyboard alone', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await openDemo(console, page)
  const field = page.getByRole('combobox', { name: 'Person', exact: true })
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Ada Lindqvist' }).waitFor()
  // At once: what was found before the typing is nobody's choice.
  await page.keyboard.type('oa')
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'oa')
  await page.getByRole('option', { name: 'Ada Lindqvist' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'Ben Oak')
})
