import type pg from 'pg'
import { type BareServer, startServerProcess } from './bare-server.ts'
import type { Installation } from './installation.ts'
import type { BenchOrganization } from './organization.ts'

/** The work of the server by hand. */
export interface ByHandOrder {
  connection: pg.PoolConfig
  organization_id: string
  token: string
  /** Certificate and key of its own address, PEM. */
  cert: string
  key: string
  /** The receiver, and the authority that it is trusted by, PEM. */
  url: string
  ca: string
}

/**
 * Starts a server by hand that answers a list, an exchange and a new contract with nothing but what their rows cost: a
 * look-up, one statement for all that is read or written, JSON; of a contract the signed POST from the same event loop and
 * one statement that records many attempts.
 */
export function startByHand(
  { folder, connection }: Installation,
  { id: organization_id, token }: BenchOrganization,
  receiver: Pick<ByHandOrder, 'url' | 'ca'>,
): Promise<BareServer> {
  const order: Omit<ByHandOrder, 'cert' | 'key'> = { connection, organization_id, token, ...receiver }
  return startServerProcess(folder, new URL('by-hand-process.ts', import.meta.url), order)
}
