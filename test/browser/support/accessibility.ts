import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

export const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]

export interface Violation {
  id: string
  html: string
  failureSummary: string
}

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The dark theme has other colours and nothing else, so it is asked for their contrast only: a third of the time. */
const rules_of_themes = {
  light: { type: 'tag', values: tags },
  dark: { type: 'rule', values: ['color-contrast'] },
}

/** Everything on the page, which is shown in this theme, that breaks a rule of WCAG 2.2 AA or of usual practice. */
export async function violations(page: Page, theme: Theme): Promise<Violation[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe)
  const found = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules_of_themes[theme])} }).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary }))))`,
  )
  // The cast holds because it is what the page was told to answer.
  return found as Violation[]
}
