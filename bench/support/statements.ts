import type { PoolClient } from 'pg'
import type { Installation } from './installation.ts'
import { openLocalService } from './local-service.ts'

/** A statement as the driver got it: a bare text, or a prepared one with its values. */
export type Statement = string | { name?: string; text: string; values?: unknown[] }

/**
 * The statements that the service sends for one GET, so that a yardstick runs exactly those whatever the service comes to
 * send. The request is made in this process, twice: what is sent only the first time does not count.
 */
export async function statementsOf(installation: Installation, url: string, token: string): Promise<Statement[]> {
  await using watched = openWatched(installation)
  await watched.statementsOf(url, token)
  return watched.statementsOf(url, token)
}

/** The service in this process, with what it sends for each GET. */
export function openWatched(installation: Installation) {
  const service = openLocalService(installation, 1)
  let sent: Statement[] = []
  service.database.pool.on('connect', (client) => watch(client, (statement) => sent.push(statement)))
  return {
    async statementsOf(url: string, token: string): Promise<Statement[]> {
      sent = []
      const { statusCode, body } = await service.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
      if (statusCode !== 200) throw new Error(`${url} was answered ${statusCode}: ${body}`)
      return sent
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function watch(client: PoolClient, note: (statement: Statement) => void): void {
  const query = client.query
  let is_of_request = true
  const watched = (...args: unknown[]) => {
    // The service hands the driver texts and configurations, nothing else.
    const statement = plain(args[0] as Statement)
    const text = typeof statement === 'string' ? statement : statement.text
    // Requests never take this role: the log of requests does, which is written for many at once.
    if (text.startsWith('begin')) is_of_request = !text.includes('stint_engine')
    if (is_of_request) note(statement)
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
