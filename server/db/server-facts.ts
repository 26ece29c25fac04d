import type { Database } from './database.ts'

/** Asks the server for its version, and by how much its clock is ahead of this machine's; half of the way there and back is taken off. */
export async function serverFacts(database: Database): Promise<{ version: string; ahead_ms: number }> {
  const client = await database.connect()
  try {
    const asked_ms = Date.now()
    const { rows } = await client.query<{ version: string; now_ms: number }>(
      `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`,
    )
    const [{ version, now_ms } = { version: '', now_ms: 0 }] = rows
    return { version, ahead_ms: Math.round(now_ms - (asked_ms + Date.now()) / 2) }
  } finally {
    client.release()
  }
}
