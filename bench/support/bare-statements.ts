import pg from 'pg'
import { rowTypes } from '#db/rows.ts'
import type { Statement } from './statements.ts'

export interface BareStatements {
  connection: pg.PoolConfig
  /** Every connection takes this role and organization once, so that the same policies bind its statements. */
  session: string
  /** Run one after the other on one connection. */
  statements: Statement[]
}

/** The statements as written by hand, with the driver and the row types of the service; answers the largest result. */
export function runnerOf({
  connection,
  session,
  statements,
}: BareStatements): () => Promise<{ total_count?: number }[]> {
  const pool = new pg.Pool({ ...connection, max: 10, types: rowTypes, pipeline: true, options: '-c timezone=UTC' })
  pool.on('connect', (client) => void (session && client.query(session)))
  return async () => {
    const client = await pool.connect()
    let rows: { total_count?: number }[] = []
    for (const statement of statements) {
      const result = [await client.query(statement)].flat().at(-1)
      if (result && result.rows.length > rows.length) rows = result.rows
    }
    client.release()
    return rows
  }
}
