import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Role } from '#core/caller.ts'
import { sql } from '#db/database.ts'
import { createSetUpLink, grantMembership, insertUser } from '#identity/account.store.ts'
import { createSecureListener, type SecureListener } from '#surfaces/https/listener.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'
import { hashOf } from '#test/console-caller.ts'
import { oncePerRun } from '#test/once-per-run.ts'
import { freePort } from '#test/process.ts'
import { noteSecret } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { assertAlways, assertNothingKept, noTraffic, noteTraffic } from './always.ts'
import { launchChromium } from './chromium.ts'

const pictures = fileURLToPath(new URL('../../../artifacts/console/', import.meta.url))
export const build = fileURLToPath(new URL('../../../scripts/build-console.js', import.meta.url))

export const password = noteSecret('seven quiet herons')

export interface Console extends TestService {
  origin: string
  /** The authority that programs beside the browser must trust. */
  ca_file: string
  /** A browser of its own for one person, with what went wrong in it. */
  open(t: TestContext, options?: BrowserContextOptions): Promise<OpenedBrowser>
  /** Makes somebody who is `role` in the first organization; `password` is everybody's. */
  addMember(user: { email: string; role?: Role; organization_id?: string }): Promise<string>
  makeLink(user_id?: string | null): Promise<string>
}

export interface OpenedBrowser {
  context: BrowserContext
  page: Page
  /** Messages of the console, failed policies and requests to other hosts; a test that expects some takes them out. */
  faults: string[]
}

/** The console as its sources are. */
export function builtConsole(): Promise<string> {
  return oncePerRun('console', (folder) =>
    promisify(execFile)(process.execPath, [build, '--outDir', folder, '--logLevel', 'error']),
  )
}

/** Shared by the tests of one file. */
export function useBrowser(): { start(t: TestContext, settings?: Record<string, string>): Promise<Console> } {
  let browser: Browser
  let folder: string
  let console_dir: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stint-console-'))
    ;[browser, console_dir] = await Promise.all([launchChromium(), builtConsole()])
  })
  after(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    start: (t, settings) => startConsole(t, { browser, folder, console_dir, settings }),
  }
}

async function startConsole(
  t: TestContext,
  {
    browser,
    folder,
    console_dir,
    settings = {},
  }: { browser: Browser; folder: string; console_dir: string; settings?: Record<string, string> | undefined },
): Promise<Console> {
  const port = await freePort()
  const origin = `https://localhost:${port}`
  const tls = await openTlsMaterial({ data_dir: folder, hosts: [], now: Date.now })
  let listener: SecureListener | undefined
  const service = await startTestService(settings, {
    origin,
    console_dir,
    serverFactory: (handler) => {
      listener = createSecureListener({ tls, handler, problem: (request_id) => ({ request_id }) })
      return listener.server
    },
    clientAddress: (request) => listener?.clientAddress(request) ?? 'unknown',
  })
  const traffic = noTraffic()
  t.after(() => assertAlways(service, traffic))
  t.after(async () => {
    await listener?.close(0)
    await service.close()
  })
  // Pages count down to times of the service, so both have the time of today.
  await service.clock.set(new Date().toISOString())
  await service.app.listen({ host: '127.0.0.1', port })
  return {
    ...service,
    origin,
    ca_file: tls.ca_file ?? '',
    open: async (one, options) => {
      const opened = await openBrowser(one, browser, origin, options)
      noteTraffic(opened.context, traffic)
      return opened
    },
    makeLink: (user_id = null) =>
      service.database.database.transaction({ role: 'lookup' }, (tx) => createSetUpLink(tx, user_id)),
    async addMember({ email, role = 'owner', organization_id = service.organization.id }) {
      const user = { email, name: 'Nora Pine', password_hash: await hashOf(password) }
      return service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
        const known = await tx.row<{ id: string }>(sql`select id from users where email = ${email}`)
        const id = known?.id ?? crypto.randomUUID()
        if (!known) await insertUser(tx, { id, ...user })
        await grantMembership(tx, organization_id, id, role)
        return id
      })
    },
  }
}

async function openBrowser(
  t: TestContext,
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenedBrowser> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: origin, ...options })
  t.after(async () => {
    try {
      await assertNothingKept(context.pages())
    } finally {
      await context.close()
    }
  })
  context.setDefaultTimeout(30_000)
  const faults: string[] = []
  await context.exposeFunction('noteViolation', (violation: string) => void faults.push(`policy: ${violation}`))
  await context.addInitScript(`
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      noteViolation(violatedDirective + ' ' + blockedURI))`)
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => void faults.push(`defect: ${error.error().message}`))
  context.on('request', (request) => {
    if (!request.url().startsWith(origin)) faults.push(`request: ${request.url()}`)
  })
  // Nobody presses a row or a choice that was asked for before and goes away when the next ones come: such are pale, also
  // for as long as somebody is asked to sign in again.
  const pale = 'body:not(:has(h2:text-is("Sign in again"))) .dimmed'
  context.on('page', (one) => {
    one.addLocatorHandler(one.locator(pale).first(), () => Promise.resolve()).catch(() => undefined)
  })
  const page = await context.newPage()
  return { context, page, faults }
}

export async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(word)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in by one request, for tests of what comes after the page of the sign-in: a second less each. */
export async function beginSession(context: BrowserContext, origin: string, email: string): Promise<void> {
  const headers = { Origin: origin, 'Stint-Console': '1' }
  const answer = await context.request.post('/console/auth/session', { data: { email, password }, headers })
  assert.equal(answer.status(), 201, await answer.text())
}

export function assertNoFaults({ faults }: OpenedBrowser): void {
  assert.deepEqual(faults, [])
}

/** Into `artifacts/console`, where `PICTURES` asks for them: for people, no test looks at them, and they take 10 s. */
export async function takePicture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  if (process.env.PICTURES) await page.screenshot({ path: `${pictures}${name}.png`, ...options })
}
