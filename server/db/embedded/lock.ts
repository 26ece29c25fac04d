import type pg from 'pg'
import { EmbeddedPostgresError } from './error.ts'

const applicationPrefix = 'stint service '

/** The application name by which another service learns whom to name; the pid of this process is in it. */
export const lockApplicationName = applicationPrefix + process.pid

/** Two-part key of the advisory lock, in the database `postgres`: "STIN", data folder. */
const lock_key = [0x53_54_49_4e, 1] as const

/** A service that was killed a moment ago holds the lock until its backend notices the closed connection. */
const lock_wait_ms = 1_000

/**
 * Takes the data folder for this process, as a session lock inside the server itself: it ends with the process however
 * that dies, no pid can be mistaken, and it needs no file. Throws `data_folder_in_use`, naming folder and pid.
 */
export async function takeServiceLock(client: pg.Client, data_folder: string): Promise<void> {
  try {
    await client.query(`set lock_timeout = ${lock_wait_ms}`)
    await client.query('select pg_advisory_lock($1, $2)', [...lock_key])
  } catch (cause) {
    const timedOut = (cause as { code?: string }).code === '55P03'
    if (!timedOut) throw cause
    const holder = await lockHolder(client)
    throw new EmbeddedPostgresError(
      'data_folder_in_use',
      `Another Stint service (pid ${holder ?? 'unknown'}) already uses the data folder ${data_folder}. ` +
        'Stop it first, or give this one its own folder with STINT_DATA_DIR.',
      { cause },
    )
  }
}

async function lockHolder(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2 and l.objsubid = 2
        and l.database = (select oid from pg_database where datname = current_database())`,
    [...lock_key],
  )
  return rows[0]?.application_name.slice(applicationPrefix.length)
}
