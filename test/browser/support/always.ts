import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { holdsCredential } from '#test/secrets.ts'
import type { TestService } from '#test/service.ts'
import { type Asked, strangeRequests } from './parity.ts'

interface Written {
  organization_id: string
  request_id: string
  what: string
}

/** The requests and changes of pages in the course of one test. */
export interface Traffic {
  asked: Asked[]
  written: Written[]
  /** Requests that carried the value of a credential in their address or body. */
  leaked: string[]
}

export const noTraffic = (): Traffic => ({ asked: [], written: [], leaked: [] })

/** Notes what the pages of one browser ask and change. */
export function noteTraffic(context: BrowserContext, { asked, written, leaked }: Traffic): void {
  context.on('request', (request) => {
    // Going back to a client with its code is no request of a page.
    if (request.resourceType() !== 'fetch') return
    const { pathname } = new URL(request.url())
    asked.push({ method: request.method(), path: pathname })
    if (holdsCredential(request.url() + (request.postData() ?? ''))) leaked.push(`${request.method()} ${pathname}`)
  })
  context.on('response', (answer) => {
    const request = answer.request()
    const { pathname } = new URL(answer.url())
    const { 'stint-organization': organization_id, 'stint-dry-run': rehearsed } = request.headers()
    const isWrite = request.method() !== 'GET' && pathname.startsWith('/console/rest/v2/') && answer.ok()
    const { 'request-id': request_id, 'idempotent-replayed': replayed } = answer.headers()
    if (!isWrite || rehearsed || replayed || !organization_id || !request_id) return
    written.push({ organization_id, request_id, what: `${request.method()} ${pathname}` })
  })
}

/** The rules for the pages of every test, whatever it is about. */
export async function assertAlways(service: TestService, { asked, written, leaked }: Traffic): Promise<void> {
  const document = (await service.app.inject('/openapi.json')).json()
  assert.deepEqual(strangeRequests(document, asked), [], 'pages use the public API alone')
  assert.deepEqual(leaked, [], 'a page sends the value of a credential')
  assert.deepEqual(await unaudited(service, written), [], '10.2 every write at a page is in the audit log')
}

/** Writes without a line in the audit log that tells the actor, the address and the request. */
async function unaudited({ database }: TestService, written: readonly Written[]): Promise<string[]> {
  const missing: string[] = []
  for (const [organization_id, of_one] of Map.groupBy(written, (one) => one.organization_id)) {
    const ids = of_one.map(({ request_id }) => request_id)
    const lines = await database.database.transaction({ role: 'owner', organization_id }, (tx) =>
      tx.rows<{ request_id: string }>(sql`
        select request_id from audit_entries
        where organization_id = ${organization_id} and request_id = any(${ids}::text[])
          and actor ->> 'id' is not null and address is not null`),
    )
    const told = new Set(lines.map(({ request_id }) => request_id))
    missing.push(...of_one.filter(({ request_id }) => !told.has(request_id)).map(({ what }) => what))
  }
  return missing
}

/** Nothing that a page was shown once is left in it: not in what it shows, nor in its address, nor in what it stores. */
export async function assertNothingKept(pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    // The page of a client has the code that it was sent.
    if (!new URL(page.url()).pathname.startsWith('/console')) continue
    // A value stands in its dialog while that is open; a page that a test has ended cannot be asked.
    const kept = await page.evaluate<string>(left_in_page).catch(() => '')
    assert.equal(holdsCredential(withoutCodes(kept)), false, `a credential is left at ${page.url()}`)
  }
}

/** The code of a consent stands in the address that the page of the decision leads to: it works once, for the client alone. */
const withoutCodes = (text: string) => text.replaceAll(/stint_(test_)?oac_\w+/g, '')

/** All that a page stores. A spread would leave out what is stored under the name of a method, such as `key`. */
export const stored_values =
  '[localStorage, sessionStorage].map((store) => Array.from(store, (_, place) => store.getItem(store.key(place))))'

const left_in_page = `document.querySelector('dialog[open]') ? '' : JSON.stringify([
  document.documentElement.outerHTML, ${stored_values}, location.href,
  [...document.querySelectorAll('input, textarea')].map(({ value }) => value)])`
