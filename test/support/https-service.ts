import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { createSecureListener, type SecureListener } from '#surfaces/https/listener.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'
import { freePort } from './process.ts'
import { startTestService, type TestService } from './service.ts'

export interface HttpsService extends TestService {
  origin: string
  /** The authority that a client must trust. */
  ca_file: string
  /** As a client that trusts the development authority; redirects are its own business. */
  fetch: typeof fetch
}

/** The service on a port of its own over real HTTPS, with a certificate of the development authority. */
export async function startHttpsService(settings: Record<string, string> = {}): Promise<HttpsService> {
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-https-'))
  const tls = await openTlsMaterial({ data_dir, hosts: [], now: Date.now })
  const ca_file = tls.ca_file ?? ''
  const port = await freePort()
  const origin = `https://localhost:${port}`
  let listener: SecureListener | undefined
  const service = await startTestService(settings, {
    origin,
    serverFactory: (handler) => {
      listener = createSecureListener({ tls, handler, problem: (request_id) => ({ request_id }) })
      return listener.server
    },
    clientAddress: (request) => listener?.clientAddress(request) ?? 'unknown',
  })
  await service.app.listen({ host: '127.0.0.1', port })
  const agent = new Agent({ connect: { ca: await readFile(ca_file, 'utf8') } })
  // Node's own fetch takes the agent, though its types do not say so.
  const trusting: object = { dispatcher: agent }
  return {
    ...service,
    origin,
    ca_file,
    fetch: (input, init) => fetch(input, { ...init, ...trusting }),
    async close() {
      await listener?.close(0)
      await agent.destroy()
      await service.close()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}
