import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#core/problems.ts'
import { type EncodedFile, sendFile } from '../http-server.ts'
import { html, sendPage } from '../reference/html-page.ts'

const pages = ['/console', '/console/', '/console/set-up']
const popup_pages = ['/console/sign-in', '/console/authorize/:request_id']

/** The console's pages and files, as `vite build` left them in `folder`. Without them everything else runs on. */
export function mountConsole(app: FastifyInstance, folder: string): void {
  const files = readBuild(folder)
  for (const path of [...pages, ...popup_pages]) {
    app.get(path, (request, reply) => sendEntry(request, reply, files, popup_pages.includes(path)))
  }
  app.get<{ Params: { name: string } }>('/console/assets/:name', (request, reply) => {
    const file = files?.get(`assets/${request.params.name}`)
    if (!file) throw notFound('There is no such file.')
    // Its name holds a digest of its content, so it never changes.
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    return sendFile(request, reply, file)
  })
  app.get('/console/*', (request, reply) => {
    // Programs get problems, also where there is nothing.
    if (/^\/console\/(auth|rest)\//.test(request.url)) throw notFound('There is nothing at this path.')
    return sendEntry(request, reply.code(404), files, false)
  })
}

type Files = ReturnType<typeof readBuild>

function sendEntry(request: FastifyRequest, reply: FastifyReply, files: Files, keepsOpener: boolean): FastifyReply {
  const page = files?.get('auth.html')
  if (page) return sendFile(request, reply.headers(pageHeaders(keepsOpener)), page)
  reply.header('X-Frame-Options', 'DENY')
  return sendPage(reply.code(503), 'The console is not built', notBuilt)
}

const notBuilt = html`<p>This installation has no console: it was made without the packages that build it.</p>
<p>On the machine of the service, in its folder:</p>
<p><code>npm ci &amp;&amp; npm run build</code></p>
<p>Then start the service again. The REST API and the tool server run without it.</p>`

/** Nothing from elsewhere, nothing inline, no frame around us; so markup that slipped into a page could not do anything. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const permissions = [
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
  'clipboard-write=(self)',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'microphone=()',
  'payment=()',
  'usb=()',
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

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export function isConsoleBuilt(folder: string): boolean {
  return existsSync(join(folder, 'auth.html'))
}

/**
 * The built console by path, read once: a few hundred kilobytes, and no request ever names a file of the disk. Null when
 * it was not built.
 */
function readBuild(folder: string): ReadonlyMap<string, EncodedFile> | null {
  if (!isConsoleBuilt(folder)) return null
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const read = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null)
  const files = names.flatMap((name): [string, EncodedFile][] => {
    const type = types[extname(name)]
    const plain = type ? read(name) : null
    return type && plain ? [[name, { type, plain, br: read(`${name}.br`), gzip: read(`${name}.gz`) }]] : []
  })
  return new Map(files)
}
