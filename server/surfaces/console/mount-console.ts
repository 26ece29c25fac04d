import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#core/problems.ts'
import { sendFile } from '../content-encoding.ts'
import { html, sendPage } from '../reference/html-page.ts'
import { pageHeaders } from './page-headers.ts'
import { readBuild } from './read-build.ts'

export { isConsoleBuilt } from './read-build.ts'

const pages: { path: string; keepsOpener?: boolean }[] = [
  { path: '/console' },
  { path: '/console/' },
  { path: '/console/set-up' },
  { path: '/console/sign-in', keepsOpener: true },
  { path: '/console/authorize/:request_id', keepsOpener: true },
]

/** The console's pages and files, as `vite build` left them in `folder`. Without them everything else runs on. */
export function mountConsole(app: FastifyInstance, folder: string): void {
  const files = readBuild(folder)
  for (const { path, keepsOpener = false } of pages) {
    app.get(path, (request, reply) => sendEntry(request, reply, files, { keepsOpener, status: 200 }))
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
    // What programs call answers problems, also where there is nothing.
    if (/^\/console\/(auth|rest)\//.test(request.url)) throw notFound('There is nothing at this path.')
    return sendEntry(request, reply, files, { keepsOpener: false, status: 404 })
  })
}

type Files = ReturnType<typeof readBuild>

function sendEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Files,
  { keepsOpener, status }: { keepsOpener: boolean; status: 200 | 404 },
): FastifyReply {
  const page = files?.get('auth.html')
  if (page) return sendFile(request, reply.code(status).headers(pageHeaders({ keepsOpener })), page)
  reply.header('X-Frame-Options', 'DENY')
  return sendPage(reply.code(503), 'The console is not built', notBuilt)
}

const notBuilt = html`<p>This installation has no console: it was made without the packages that build it.</p>
<p>On the machine of the service, in its folder:</p>
<p><code>npm ci &amp;&amp; npm run build</code></p>
<p>Then start the service again. The REST API and the tool server run without it.</p>`
