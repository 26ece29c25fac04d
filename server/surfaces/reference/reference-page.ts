import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { notFound } from '#core/problems.ts'
import { type EncodedFile, sendFile } from '../http-server.ts'
import { bar_style, type Html, html, sendDocument } from './html-page.ts'
import { readScalar, scalar_sha256 } from './scalar.ts'

/** As the console's, but the script writes styles into the page, brings its fonts in them, and submits no form. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const style = `${bar_style}
:root { --scalar-custom-header-height: 3rem; }
body { margin: 0; }
.plain { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
`

/** The content of the page until the script has drawn over it, and for good where the document cannot be loaded. */
const plain = html`<main class="plain">
<h1>API reference</h1>
<p>The reference is drawn from the OpenAPI document, which tools and generators read as it is:</p>
<ul>
<li><a href="/openapi.json">OpenAPI 3.1 document as JSON</a></li>
<li><a href="/openapi.yaml">OpenAPI 3.1 document as YAML</a></li>
</ul>
</main>`

/** The API reference at `/docs`, with its two scripts under names that hold their digests. */
export function mountReferencePage(app: FastifyInstance, folder: string): void {
  let files: { scripts: ReadonlyMap<string, EncodedFile>; head: Html } | undefined
  // Read at the first request: a start does not wait for 6 MB that it may never need.
  const open = () => {
    files ??= openFiles(folder)
    return files
  }
  app.get('/docs', (_, reply) => {
    reply.headers({
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-cache',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    const body = html`<div id="reference">${plain}</div>`
    return sendDocument(reply, { title: 'API reference', style, at: '/docs', head: open().head, body })
  })
  app.get<{ Params: { name: string } }>('/docs/assets/:name', (request, reply) => {
    const file = open().scripts.get(request.params.name)
    if (!file) throw notFound('There is no such file.')
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    return sendFile(request, reply, file)
  })
}

function openFiles(folder: string) {
  const scalar = readScalar(folder)
  if (!scalar) return { scripts: new Map<string, EncodedFile>(), head: html`` }
  const opener = readFileSync(new URL('./open-reference.js', import.meta.url))
  const type = 'text/javascript; charset=utf-8'
  const names = [scalar.plain, opener].map(
    (bytes) => `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.js`,
  )
  const [scalar_name = '', opener_name = ''] = names
  return {
    scripts: new Map<string, EncodedFile>([
      [scalar_name, scalar],
      [opener_name, { type, plain: opener, br: null, gzip: null }],
    ]),
    head: html`<script defer src="/docs/assets/${scalar_name}" integrity="sha256-${scalar_sha256}"></script>
<script type="module" src="/docs/assets/${opener_name}"></script>`,
  }
}
