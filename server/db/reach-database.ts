import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseRefused } from './database-refused.ts'
import { missingRights, type Purpose, readRights, server_version_min } from './missing-rights.ts'

export interface Reaching {
  purpose: Purpose
  /** The time to wait for a database that is not up yet. */
  wait_ms: number
  /** Told that, and how long, it is waited for. */
  tell: (line: string) => void
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

const connect_timeout_ms = 5_000
const first_pause_ms = 250
const pause_max_ms = 2_000
const tell_again_ms = 10_000

/**
 * Resolves when the database answers and its login may do what it has to. A server that is not up yet is waited for;
 * what waiting does not mend is refused at once, everything that is missing in one message.
 */
export async function reachDatabase(url: string, { purpose, wait_ms, tell, signal }: Reaching): Promise<void> {
  const began_ms = performance.now()
  let told_ms = Number.NEGATIVE_INFINITY
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, pause_max_ms)) {
    const fault = await tryOnce(url, purpose)
    if (!fault) return
    const waited_ms = performance.now() - began_ms
    const where = `the database of DATABASE_URL at ${placeOf(url)}`
    if (waited_ms >= wait_ms) {
      throw new DatabaseRefused(
        `${where} did not answer within ${Math.round(wait_ms / 1_000)} s (${fault}): start it, or correct the address`,
      )
    }
    if (performance.now() - told_ms >= tell_again_ms) {
      tell(`waiting for ${where}, for ${Math.ceil((wait_ms - waited_ms) / 1_000)} s at most: ${fault}`)
      told_ms = performance.now()
    }
    await pause(Math.min(pause_ms, wait_ms - waited_ms), undefined, signal && { signal })
  }
}

/** Answers why there is nothing to connect to yet, or null where all is well. */
async function tryOnce(url: string, purpose: Purpose): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connect_timeout_ms })
  // Lost between two statements: the next one fails and says so.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkRights(client, url, purpose)
    return null
  } catch (error) {
    if (error instanceof DatabaseRefused) throw error
    if (isNotUpYet(error)) return wordsOf(error)
    throw new DatabaseRefused(refusalOf(error, url), { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function checkRights(client: pg.Client, url: string, purpose: Purpose): Promise<void> {
  const rights = await readRights(client)
  const { login, database, server_version } = rights
  if (server_version < server_version_min) {
    throw new DatabaseRefused(
      `the server of DATABASE_URL at ${placeOf(url)} is PostgreSQL ${server_version}; Stint needs ${server_version_min} or newer`,
    )
  }
  const statements = missingRights(rights, purpose)
  if (statements.length === 0) return
  const list = statements.map((statement) => `  ${statement};`).join('\n')
  throw new DatabaseRefused(
    `the login ${login} of DATABASE_URL lacks rights. An administrator gives them in the database ${database}:\n${list}`,
  )
}

/** Nobody listens, the host has no address yet, or the server says that it is starting or full. */
const notUpYet = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['57P01', '57P03', '53300'],
])

function isNotUpYet(error: unknown): boolean {
  const isCut = error instanceof Error && /^(timeout expired|Connection terminated)/.test(error.message)
  return isCut || notUpYet.has(codeOf(error))
}

function refusalOf(error: unknown, url: string): string {
  const place = placeOf(url)
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return `the server of DATABASE_URL at ${place} refuses the login (${wordsOf(error)}): correct user and password, or let the user in (pg_hba.conf)`
    case '3D000':
      return `the server of DATABASE_URL at ${place} has no such database (${wordsOf(error)}): make it, or correct the name`
    default:
      return `the database of DATABASE_URL at ${place} cannot be used: ${wordsOf(error)}`
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Of a host with several addresses, each of which was tried, the errors stand inside one without words. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** Host and port without user and password. */
function placeOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return decodeURIComponent(host) || searchParams.get('host') || 'localhost'
}
