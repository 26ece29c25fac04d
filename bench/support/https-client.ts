import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'undici'
import type { Installation } from './installation.ts'

export interface HttpsClient extends AsyncDisposable {
  /** Sends one request; throws unless it is answered with the status. Answers the body. */
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: string): Promise<Buffer>
}

/** Keep-alive HTTP/1.1 connections to one origin that trusts the development authority of the installation. */
export async function openClient(
  { folder }: Installation,
  origin: string,
  token: string | null,
  connections: number,
  more: Record<string, string> = {},
): Promise<HttpsClient> {
  const ca = await readFile(join(folder, 'tls', 'ca.pem'), 'utf8')
  const pool = new Pool(origin, { connections, allowH2: false, connect: { ca } })
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const headers = { ...authorization, 'content-type': 'application/json', ...more }
  return {
    async call(method, path, body) {
      const answer = await pool.request({ method, path, headers, body: body ?? null })
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${bytes}`)
      return bytes
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}
