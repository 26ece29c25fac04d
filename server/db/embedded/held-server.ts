import { setTimeout as pause } from 'node:timers/promises'
import type { DataFolder } from './data-folder.ts'
import { takeServiceLock } from './lock.ts'
import { adoptOrStart, type RunningServer, type Start } from './running-server.ts'
import { service_user } from './settings.ts'

/** A running server that this process alone holds; `current` is another one after a recovery. */
export interface HeldServer {
  readonly current: RunningServer
  /** Stops watching. False when the server had been lost for good; it may serve another service by then. */
  release(): Promise<boolean>
}

/** The service's database; the lock's connection stays out of it, so that it can be copied as a template. */
export const database = 'stint'

const sessions_max = 3
const recoveries_max = 5
const recovery_delay_ms = 250

/**
 * Adopts or starts the server, takes the lock and makes the database. When the connection that carries the lock ends
 * (the server died, or closed all sessions after a crash of one), the same is done again: five attempts within 8 s.
 */
export async function holdServer(folder: DataFolder, start: Start, log: (line: string) => void): Promise<HeldServer> {
  let current = await lockedServer(folder, start)
  let recovery = Promise.resolve(true)
  let released = false

  const watch = () => {
    current.client.once('end', () => {
      if (!released) recovery = recover()
    })
  }

  async function recover(): Promise<boolean> {
    log(`Lost the PostgreSQL (pid ${current.pid}) in ${folder.cluster}`)
    for (let attempt = 1; attempt <= recoveries_max && !released; attempt += 1) {
      try {
        current = await lockedServer(folder, { ...start, signal: undefined, previous: current.address })
        watch()
        log(`PostgreSQL (pid ${current.pid}) answers again in ${folder.cluster}`)
        return true
      } catch (error) {
        log(`PostgreSQL did not come back (attempt ${attempt} of ${recoveries_max}): ${error}`)
        await pause(recovery_delay_ms * 2 ** (attempt - 1))
      }
    }
    return false
  }

  watch()
  return {
    get current() {
      return current
    },
    release: () => {
      released = true
      return recovery
    },
  }
}

async function lockedServer(folder: DataFolder, start: Start): Promise<RunningServer> {
  for (let session = 1; ; session += 1) {
    const server = await adoptOrStart(folder, start)
    try {
      await takeServiceLock(server.client, folder.path)
      await ensureDatabase(server)
      return server
    } catch (error) {
      await server.client.end()
      if (session === sessions_max || !isSessionEnd(error)) throw error
    }
  }
}

/** A service that ends takes its server along, and with it the session of the next one that waits for the lock. */
function isSessionEnd(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '57P01' || message?.startsWith('Connection terminated') === true
}

async function ensureDatabase({ client, password }: RunningServer): Promise<void> {
  const { rows } = await client.query<{ has_database: boolean; has_role: boolean; has_login: boolean }>(
    `select exists (select from pg_database where datname = $1) as has_database,
            exists (select from pg_roles where rolname = $2) as has_role,
            exists (select from pg_roles where rolname = $2 and rolcanlogin) as has_login`,
    [database, service_user],
  )
  const [found] = rows
  if (!found?.has_database) await client.query(`create database ${database}`)
  // Settings that the login made for its own later sessions go; PostgreSQL lets every role make them.
  if (found?.has_role) await client.query(`alter role ${service_user} reset all`)
  await client.query(`revoke temporary on database ${database} from public`)
  if (found?.has_login) return
  // Clusters of releases before this login have none, or one that a migration made for servers of other people.
  const words = password === undefined ? '' : ` password ${client.escapeLiteral(password)}`
  await client.query(`${found?.has_role ? 'alter' : 'create'} role ${service_user} login noinherit${words}`)
}
