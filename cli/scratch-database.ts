import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@stint/embedded-postgres'
import type pg from 'pg'

/** Lends an empty embedded database in the folder for temporary files (TMPDIR), as its owner; it is gone afterwards. */
export async function withScratchDatabase<Result>(
  work: (connection: pg.PoolConfig) => Promise<Result>,
): Promise<Result> {
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-scratch-'))
  try {
    const server = await startEmbeddedPostgres({ data_dir })
    try {
      return await work(server.owner)
    } finally {
      await server.endAtOnce()
    }
  } finally {
    await rm(data_dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
