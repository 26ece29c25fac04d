import type { PoolClient } from 'pg'
import { createLog } from '#core/log.ts'
import { openDatabase } from '#db/database.ts'
import { settingsTable } from '#server/config.ts'
import { createService } from '#server/service.ts'
import { readSettings } from '#server/settings.ts'
import type { Installation } from './installation.ts'

/** A statement as the driver got it: a bare text, or a prepared one with its values. */
export type Statement = string | { name?: string; text: string; values?: unknown[] }

/**
 * The statements that the service sends for one GET, so that a yardstick runs exactly those whatever the service comes to
 * send. The request is made in this process, twice: what is sent only the first time does not count.
 */
export async function statementsOf(installation: Installation, url: string, token: string): Promise<Statement[]> {
  const { connection, secrets } = installation
  const database = openDatabase(connection, { connections_max: 1 })
  let sent: Statement[] = []
  database.pool.on('connect', (client) => watch(client, (statement) => sent.push(statement)))
  const config = readSettings(settingsTable, { STINT_RATE_LIMIT_REQUESTS: '1000000' })
  const service = createService({
    config,
    origin: installation.service.origin,
    database,
    connection,
    secrets,
    clock: { now: Date.now },
    log: createLog('silent'),
    strict: false,
  })
  const call = () => service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } })
  await call()
  await service.stop()
  sent = []
  const { statusCode, body } = await call()
  const statements = sent
  await service.app.close()
  await database.close()
  if (statusCode !== 200) throw new Error(`${url} was answered ${statusCode}: ${body}`)
  return statements
}

function watch(client: PoolClient, note: (statement: Statement) => void): void {
  const query = client.query
  const watched = (...args: unknown[]) => {
    // The service hands the driver texts and configurations, nothing else.
    note(plain(args[0] as Statement))
    return Reflect.apply(query, client, args)
  }
  client.query = watched as typeof query
}

/** Without the way in which the service has rows built, which is its own affair. */
function plain(statement: Statement): Statement {
  if (typeof statement === 'string') return statement
  const { name, text, values } = statement
  return { text, ...(name && { name }), ...(values && { values }) }
}
