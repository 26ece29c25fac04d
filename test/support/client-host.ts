import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.ts'

/** A web server of our own where clients have their documents and key sets. */
export interface ClientHost {
  host: Receiver
  /** By these a service may ask it, and trusts its certificate. */
  settings: Record<string, string>
  close(): Promise<void>
}

export async function startClientHost(options?: ReceiverOptions): Promise<ClientHost> {
  const host = await startReceiver(options)
  const folder = await mkdtemp(join(tmpdir(), 'stint-'))
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, host.ca)
  return {
    host,
    settings: { STINT_CLIENT_ALLOWED_NETWORKS: '127.0.0.0/8,::1', WEBHOOK_CA_FILE: ca },
    async close() {
      await host.close()
      await rm(folder, { recursive: true })
    },
  }
}
