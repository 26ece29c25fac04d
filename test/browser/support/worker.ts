import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Body, createContract } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { type Console, type OpenedBrowser, password } from './console.ts'

const day_ms = 86_400_000

/** A business date, so many days from now. */
export const dayFromNow = ({ clock }: Pick<Console, 'clock'>, days: number) =>
  new Date(clock.now() + days * day_ms).toISOString().slice(0, 10)

/** A contract of 45.00 EUR an hour that the client has signed and invited the worker to; `link` is its address. */
export async function offered(
  console: Console,
  { contract = {}, invitation = {} }: { contract?: Record<string, unknown>; invitation?: object } = {},
): Promise<Body> {
  const made = await createContract(console, {
    ...{ type: 'pay_as_you_go', start_date: dayFromNow(console, -40), scope_of_work: 'Keeps the platform running.' },
    compensation: { amount: '45.00', currency: 'EUR', frequency: 'monthly', scale: 'hourly' },
    ...contract,
  })
  await done(console, 'POST', `/contracts/${made.id}/sign`, { signer_name: 'Nora Pine' })
  await done(console, 'POST', `/contracts/${made.id}/invite`, invitation)
  const { url } = await done(console, 'GET', `/contracts/${made.id}/invitation-link`)
  noteSecret(new URL(url).hash.slice(1))
  return { ...made, link: url }
}

export async function done(console: Console, method: string, path: string, body?: object): Promise<Body> {
  const answer = await console.call(method, path, { ...(body && { body }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A browser in which the worker of an offered contract has a login, at a path below `/console`. */
export async function asWorker(
  t: TestContext,
  console: Console,
  { link }: { link: string },
  path = '/worker',
): Promise<OpenedBrowser> {
  const opened = await console.open(t)
  const headers = { Origin: console.origin, 'Stint-Console': '1', 'Stint-Invitation': new URL(link).hash.slice(1) }
  const answer = await opened.context.request.post('/console/auth/invitations', { data: { password }, headers })
  assert.equal(answer.status(), 201, await answer.text())
  await opened.page.goto(`/console${path}`)
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return opened
}
