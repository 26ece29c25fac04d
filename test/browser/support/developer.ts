import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '#core/caller.ts'
import type { Body } from '#test/factories.ts'
import { answer, type Receiver, startReceiver } from '#test/receiver.ts'
import { inOrganization } from '#test/service.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { beginSession, type Console, type OpenedBrowser, useBrowser } from './console.ts'

export const email = 'nora@harbour.example'
export const broken = () => answer({ status: 503, body: 'database is away' })

/** Ten retries a second apart, so that a whole schedule is played within a test. */
const schedule = Array.from({ length: 10 }, () => '1s').join()
const longer_than_a_delay_ms = 1_500

export interface Developer extends Console {
  receiver: Receiver
  /** Subscribes the receiver as a program would. */
  subscribe(fields?: Record<string, unknown>): Promise<Body>
  /** Causes one `api-token.created`. */
  cause(name?: string): Promise<Body>
  /** Has the workers send what is due; with `times`, each delay of the schedule passes before. */
  send(times?: number): Promise<void>
  /** A browser in which a member is signed in, at a path below `/console`; a hurried one asks again when told to. */
  visit(path: string, role?: Role, options?: { is_hurried?: boolean }): Promise<OpenedBrowser>
}

/** A service that may reach a receiver on this machine, for the tests of one file. */
export function useDeveloper(): {
  start(t: TestContext, options?: { is_sandbox?: boolean; settings?: Record<string, string> }): Promise<Developer>
} {
  const browser = useBrowser()
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stint-receiver-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  return {
    async start(t, { is_sandbox = false, settings = {} } = {}) {
      const receiver = await startReceiver()
      t.after(() => receiver.close())
      const ca_file = join(folder, 'ca.pem')
      await writeFile(ca_file, receiver.ca)
      const started = await browser.start(t, {
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        WEBHOOK_CA_FILE: ca_file,
        WEBHOOK_RETRY_SCHEDULE: schedule,
        ...settings,
      })
      const console = is_sandbox ? await inSandbox(started) : started
      // The tests go on by seconds; what is past for the service is past for the page then, too.
      await console.clock.set(new Date(Date.now() - 120_000).toISOString())
      const sequencer = createSequencer(console.database.database, console.runtime.log)
      const made = async (path: string, body: object): Promise<Body> => {
        const answer = await console.call('POST', path, { body })
        assert.equal(answer.status, 201, JSON.stringify(answer.body))
        return answer.body
      }
      return {
        ...{ ...console, receiver },
        subscribe: (fields = {}) =>
          made('/webhooks', { url: receiver.url, events: ['api-token.created', 'contract.created'], ...fields }),
        cause: (name = 'Payroll export') => made('/api-tokens', { name, scopes: ['contracts:read'] }),
        async send(times = 0) {
          await sequencer.runDue()
          await console.dispatcher.runDue()
          for (let retry = 0; retry < times; retry += 1) {
            await console.clock.advance(longer_than_a_delay_ms)
            await console.dispatcher.runDue()
          }
        },
        async visit(path, role = 'owner', { is_hurried = false } = {}) {
          const address = `${role}.${email}`
          await console.addMember({ email: address, role })
          const opened = await console.open(t, { permissions: ['clipboard-read', 'clipboard-write'] })
          await beginSession(opened.context, console.origin, address)
          if (is_hurried) await opened.page.clock.install()
          await opened.page.goto(`/console${path}`)
          await opened.page.getByRole('heading', { level: 1 }).waitFor()
          return opened
        },
      }
    },
  }
}

/** The same service as seen from a sandbox, whose business time can be moved. */
async function inSandbox(console: Console): Promise<Console> {
  const sandbox = await console.createOrganization({ name: 'Harbour Pine Sandbox', is_sandbox: true })
  return {
    ...console,
    ...inOrganization(console, sandbox),
    addMember: (user) => console.addMember({ organization_id: sandbox.id, ...user }),
  }
}

const asked_again_ms = 5_000

/** Lets the seconds pass after which a page asks again; its clock is one of the test's own, and goes on by itself. */
export const hurry = (page: Page) => page.clock.fastForward(asked_again_ms)

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })
