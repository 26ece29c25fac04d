import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/browser/support/chromium.ts'
import { builtConsole } from '../test/browser/support/console.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const rows = 10_000
const rows_per_answer = 2_000
const presses = 12
const limit_ms = 100

/** A list of ten thousand rows in a browser, from a press to the next picture. */
export const consoleLists: Benchmark = {
  name: 'console-lists',
  summary: 'a list of 10,000 rows in the browser, from a press to the next picture',
  async run({ rounds }: Extent): Promise<Result> {
    const server = await serveConsole(await builtConsole())
    const browser = await launchChromium()
    const taken = new Map<string, number[]>()
    try {
      for (let round = 0; round < rounds; round += 1) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
        await loadAll(page, server)
        for (const [what, act] of Object.entries(acts)) {
          taken.set(what, [...(taken.get(what) ?? []), ...(await measured(page, act))])
        }
        await page.close()
      }
    } finally {
      await browser.close()
      server.close()
    }
    return {
      method: `ms from an input to the next picture after it (Event Timing), in Chromium at 1280 × 800, ${rows} rows loaded, ${rounds} rounds of ${presses} presses; less than 16 counts as 0; the answers are made up, so the browser alone is measured`,
      rows: [...taken].map(([what, ms]) => ({
        what,
        'median ms': rounded(spreadOf(ms).median),
        'longest ms': Math.max(...ms),
      })),
      outcomes: [...taken].map(([what, ms]) => outcome(what, ms)),
    }
  },
}

const outcome = (what: string, ms: number[]): Outcome => ({
  ...{ goal: 'console', what: `10,000 rows: ${what}`, unit: 'ms', at_most: limit_ms },
  measured: { ...spreadOf(ms), median: Math.max(...ms) },
})

const acts: Record<string, (page: Page) => Promise<void>> = {
  'next row by j': (page) => page.keyboard.press('j'),
  'a letter in the search': (page) => page.locator('main input[type=search]').press('a', { timeout: 5_000 }),
  'the palette opens and closes': async (page) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  },
}

/** The longest event of each press. */
async function measured(page: Page, act: (page: Page) => Promise<void>): Promise<number[]> {
  const ms: number[] = []
  await page.locator('h1').click()
  await act(page)
  for (let press = 0; press < presses; press += 1) {
    await page.evaluate('events.length = 0')
    await act(page)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
    ms.push(await page.evaluate<number>('Math.max(0, ...events)'))
  }
  return ms
}

async function loadAll(page: Page, server: Server): Promise<void> {
  await page.addInitScript(`
    globalThis.events = []
    new PerformanceObserver((list) => events.push(...list.getEntries().filter((one) => one.interactionId > 0).map((one) => one.duration)))
      .observe({ type: 'event', durationThreshold: 16, buffered: true })`)
  const { port } = server.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/console/people`)
  for (let there = rows_per_answer; there < rows; there += rows_per_answer) {
    await page.getByText(`${there.toLocaleString('en')} of ${rows.toLocaleString('en')}`).waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
  }
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
}

/** The console as it was built, with an owner who is signed in, and as many people as are asked for. */
async function serveConsole(folder: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answer = answerTo(pathname, searchParams)
    if (answer) return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer))
    const file = pathname.startsWith('/console/assets/') ? pathname.slice('/console/'.length) : 'app.html'
    const type = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[file.split('.').at(-1) ?? '']
    response.setHeader('Content-Type', type ?? 'text/html').end(await readFile(join(folder, file)))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}

function answerTo(path: string, search: URLSearchParams): object | null {
  if (path === '/console/auth/session') return { session, is_new: false, base_url: 'http://127.0.0.1/rest/v2' }
  if (!path.startsWith('/console/rest/v2/')) return null
  if (path !== '/console/rest/v2/people') return { data: [], has_more: false, cursor: null, total_count: 0 }
  const from = Number(search.get('cursor') ?? 0)
  const next = from + rows_per_answer
  return {
    data: Array.from({ length: rows_per_answer }, (_, index) => person(from + index)),
    ...{ has_more: next < rows, cursor: String(next), total_count: rows },
  }
}

const id = (number: number) => `019b8d2b-8c00-7a10-8c02-${String(number).padStart(12, '0')}`
const right = (name: string) => ({ name, words: name })
const membership = {
  ...{ organization_id: id(0), organization_name: 'Harbour Pine', is_sandbox: false, role: 'owner' },
  scopes: ['people:read', 'people:write'].map(right),
  sensitive_data: [],
}
const session = {
  ...{ session_id: id(0), user_id: id(0), email: 'nora@harbour.example', name: 'Nora Pine', workers: [] },
  memberships: [membership],
}

const person = (number: number) => ({
  ...{ id: id(number), first_name: 'Ada', last_name: `Lindqvist ${number}`, full_name: `Ada Lindqvist ${number}` },
  ...{ preferred_name: null, email: `ada.${number}@harbour.example`, personal_email: null, phone: null, locale: 'en' },
  ...{ external_id: null, country: 'DE', region: null, timezone: null, worker_type: 'contractor', seniority: null },
  ...{ job_title: 'Platform engineer', start_date: '2026-01-15', department: { id: id(1), name: 'Platform' } },
  ...{ manager: null, working_location: null, legal_entity: null, teams: [], is_manager: false, custom_fields: {} },
  ...{ direct_reports_count: 0, status: 'active', access: 'enabled', deleted_at: null, date_of_birth: null },
  ...{ created_at: '2026-01-15T09:00:00.000Z', updated_at: '2026-01-15T09:00:00.000Z' },
})
