import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Console } from './console.ts'

/** A program on this computer that connects: it listens on a loopback port and keeps what comes back to it. */
export interface Program {
  origin: string
  redirect_uri: string
  /** Queries of the callbacks so far. */
  callbacks: URLSearchParams[]
}

/** Its callback page tells the window that opened it, as clients that use a popup do. */
const callback_page = `<!doctype html><title>Connected</title><p>You may close this window.</p>
<script>if (opener) opener.postMessage(location.search, '*')</script>`

export async function startProgram(t: TestContext, pages: Record<string, string> = {}): Promise<Program> {
  const callbacks: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/callback') callbacks.push(searchParams)
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(pathname === '/callback' ? callback_page : (pages[pathname] ?? '<!doctype html><title>Empty</title>'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, redirect_uri: `${origin}/callback`, callbacks }
}

export interface Connection {
  /** Path with query that the program opens in the browser. */
  authorize: string
  state: string
  /** Exchanges the code of a callback for tokens. */
  redeem(code: string | null): Promise<{ status: number; body: Record<string, unknown> }>
}

/** Registers a client and makes its authorization request. */
export async function connect(
  { app }: Console,
  redirect_uri: string,
  { scope, ...metadata }: { scope: string; client_name?: string; client_description?: string },
): Promise<Connection> {
  const registered = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: {
      client_name: 'Desk Assistant',
      redirect_uris: [redirect_uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    },
  })
  const { client_id } = registered.json<{ client_id: string }>()
  const code_verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('hex')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    state,
    scope,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return {
    authorize: `/oauth/authorize?${query}`,
    state,
    async redeem(code) {
      const form = { grant_type: 'authorization_code', code: code ?? '', client_id, redirect_uri, code_verifier }
      const answer = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(form).toString(),
      })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}
