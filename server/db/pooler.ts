import pg from 'pg'
import { session_settings, withSettings } from './database.ts'
import { StartRefused } from './start-refused.ts'

/**
 * A pooler between the service and its server may take away what a connection relies on, and nothing would say so until
 * it fails here and there. Both are looked at before the service begins.
 */
export interface Pooled {
  client: pg.Client
  url: string
  /** Host and port, for the words of a refusal. */
  place: string
  statements: 'named' | 'unnamed'
}

export async function refusePooler(pooled: Pooled): Promise<void> {
  const { client, place, statements } = pooled
  const wanted = Object.entries(session_settings)
  const columns = wanted.map(([name]) => `current_setting('${name}') as ${name}`)
  const { rows } = await client.query(
    `select quote_ident(current_user) as login, pg_backend_pid() as pid, ${columns.join(', ')}`,
  )
  const [found = {}] = rows
  const others = wanted.filter(([name, value]) => found[name] !== value)
  // Times would be read hours off: the login has to have the settings by itself.
  if (others.length > 0) {
    const list = others.map(([name, value]) => `\n  alter role ${found.login} set ${name} = '${value}';`)
    throw new StartRefused(
      `what a connection to DATABASE_URL at ${place} asks for does not reach the server: a pooler is between. Give it to the login, and let the pooler connect anew (RECONNECT):${list.join('')}`,
    )
  }
  // A server tells each connection its own number; a pooler makes one up.
  const is_pooled = found.pid !== processOf(client)
  if (is_pooled && statements === 'named') await refuseLostStatements(pooled)
}

/** The driver keeps the number, and its types leave it out. */
const processOf = (client: pg.Client) => ('processID' in client ? client.processID : null)

const looks = 3
/** No such statement, or one that somebody else left behind. */
const strange_statement = ['26000', '42P05']

/**
 * A pooler of transactions gives the connection that it used last to whoever comes next. So while somebody else has a
 * transaction open, a statement that was prepared before is looked for on another connection. Where many use the pooler
 * that may go unnoticed, hence several looks.
 */
async function refuseLostStatements({ client, url, place }: Pooled): Promise<void> {
  const other = new pg.Client(withSettings({ connectionString: url }))
  other.on('error', () => undefined)
  await other.connect()
  try {
    for (let look = 0; look < looks; look += 1) {
      const statement = { name: `stint_look_${look}`, text: 'select 1' }
      await client.query(statement)
      await other.query('begin')
      await client.query(statement)
      await other.query('commit')
    }
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || !strange_statement.includes(cause.code ?? '')) throw cause
    throw new StartRefused(
      `the pooler of DATABASE_URL at ${place} does not carry prepared statements: set STINT_DATABASE_STATEMENTS=unnamed, or give PgBouncer 1.21 or newer its max_prepared_statements`,
      { cause },
    )
  } finally {
    await other.end()
  }
}
