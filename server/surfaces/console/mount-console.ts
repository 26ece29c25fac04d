import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#core/problems.ts'
import { type EncodedFile, mountAssets, readEncoded, sendFile } from '../http-server.ts'
import { html, scriptPolicy, sendPage } from '../reference/html-page.ts'

const entrance_pages = ['/console/set-up', '/console/reset', '/console/invite']
const worker_pages = ['/console/worker', '/console/worker/*']
/** Pages behind the sign-in, which find their own way within. */
const areas = [
  ...['people', 'contracts', 'timesheets', 'adjustments', 'time-off', 'invoices', 'payments', 'ledger'],
  ...['webhooks', 'events', 'event-types', 'requests', 'tokens', 'oauth', 'apps'],
  ...['members', 'provisioning', 'structure', 'audit', 'settings', 'account'],
]
const app_pages = ['', '/', ...areas.flatMap((area) => [`/${area}`, `/${area}/*`])].map((path) => `/console${path}`)
const popup_pages = ['/console/sign-in', '/console/authorize/:request_id']

/**
 * The console's pages and files, as `vite build` left them in `folder`; read once, a few hundred kilobytes. Without them
 * everything else runs on.
 */
export function mountConsole(app: FastifyInstance, folder: string): void {
  const page = readEncoded(join(folder, 'auth.html'))
  const app_page = readEncoded(join(folder, 'app.html'))
  const worker_page = readEncoded(join(folder, 'worker.html'))
  const assets = new Map<string, EncodedFile>()
  for (const name of page ? readdirSync(join(folder, 'assets')) : []) {
    const file = readEncoded(join(folder, 'assets', name))
    if (file) assets.set(name, file)
  }
  for (const path of app_pages) app.get(path, (request, reply) => sendEntry(request, reply, app_page, false))
  for (const path of worker_pages) {
    app.get(path, (request, reply) => sendEntry(request, reply, worker_page, false))
  }
  for (const path of [...entrance_pages, ...popup_pages]) {
    app.get(path, (request, reply) => sendEntry(request, reply, page, popup_pages.includes(path)))
  }
  mountAssets(app, '/console/assets', () => assets)
  app.get('/console/*', (request, reply) => {
    // Programs get problems, also where there is nothing.
    if (/^\/console\/(auth|rest)\//.test(request.url)) throw notFound('There is nothing at this path.')
    return sendEntry(request, reply.code(404), page, false)
  })
}

function sendEntry(request: FastifyRequest, reply: FastifyReply, page: EncodedFile | null, keepsOpener: boolean) {
  if (page) return sendFile(request, reply.headers(pageHeaders(keepsOpener)), page)
  reply.header('X-Frame-Options', 'DENY')
  return sendPage(reply.code(503), 'The console is not built', notBuilt)
}

const notBuilt = html`<p>This installation has no console: it was made without the packages that build it.</p>
<p>On the machine of the service, in its folder:</p>
<p><code>npm ci &amp;&amp; npm run build</code></p>
<p>Then start the service again. The REST API and the tool server run without it.</p>`

/** Nothing inline: markup that slipped into a page could not do anything. */
const policy = scriptPolicy({ styles: "'self'", fonts: "'self'", forms: "'self'" })

const permissions = [
  ...['publickey-credentials-get', 'publickey-credentials-create', 'clipboard-write'].map((name) => `${name}=(self)`),
  ...['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'].map((name) => `${name}=()`),
].join(', ')

/**
 * Headers of every page. A client that opens a page for signing in or consent in a popup keeps its window: those pages do
 * without the isolation that the others have (`popup.opener`).
 */
function pageHeaders(keepsOpener: boolean): Record<string, string> {
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': keepsOpener ? 'unsafe-none' : 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': permissions,
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  }
}

export function isConsoleBuilt(folder: string): boolean {
  return existsSync(join(folder, 'auth.html'))
}
