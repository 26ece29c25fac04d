import type pg from 'pg'
import { type BareServer, startServerProcess } from './bare-server.ts'
import type { Installation } from './installation.ts'
import type { BenchOrganization } from './organization.ts'

/** The work of the yardstick of a created and delivered contract. */
export interface BareCreatorOrder {
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
 * Starts a handler that does nothing but what a created and delivered contract cannot do without: the look-up of the token,
 * one statement with the rows that the service writes, the signed POST from the same event loop, and one statement that
 * records many attempts.
 */
export function startBareCreator(
  { folder, connection }: Installation,
  { id: organization_id, token }: BenchOrganization,
  receiver: Pick<BareCreatorOrder, 'url' | 'ca'>,
): Promise<BareServer> {
  const order: Omit<BareCreatorOrder, 'cert' | 'key'> = { connection, organization_id, token, ...receiver }
  return startServerProcess(folder, new URL('bare-creator-process.ts', import.meta.url), order)
}
