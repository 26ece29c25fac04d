import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, PoolClient } from 'pg'
import type { Database } from './database.ts'
import { StartRefused } from './start-refused.ts'

type Migration = Awaited<ReturnType<typeof readMigrations>>[number]

const folder = new URL('./migrations/', import.meta.url)

/** Any number; the same in every process, so that two of them never migrate at once. */
const migration_lock = 7_316_412

/**
 * Shorter than the second after which PostgreSQL looks for deadlocks: a migration that meets changes of a running service
 * in their middle gives way and begins anew, and nobody waits behind it for longer. One that locks every table (0051) took
 * 1 to 45 tries beside a service that is called without pause.
 */
const lock_timeout_ms = 500
const tries_max = 180
const again_max_ms = 300

/** The migrations of this release in order, from `db/migrations/NNNN_what.sql`. They are forward-only. */
export async function readMigrations() {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { version: Number(name.slice(0, 4)), name, text, checksum: hash('sha256', text) }
    }),
  )
}

/** Compares the database with this release without writing anything. */
export async function schemaState(database: Database) {
  const client = await database.connect()
  try {
    return compare(await readMigrations(), await applied(client))
  } finally {
    client.release()
  }
}

/**
 * Applies what is missing, each migration in its own transaction. Answers the names it applied. The lock belongs to each
 * transaction: one of the session would stay behind on a pooler's connection and hold up every later migration.
 */
export async function migrate(database: Database): Promise<string[]> {
  const migrations = await readMigrations()
  const client = await database.connect()
  try {
    const names: string[] = []
    // Nearly every start; nothing is locked for it.
    if (compare(migrations, await applied(client)).state === 'current') return names
    while (names.length < migrations.length) {
      const name = await applyInTurn(client, migrations)
      if (name === null) break
      names.push(name)
    }
    return names
  } finally {
    client.release()
  }
}

/**
 * Applies exactly the migrations of these versions to an empty database, in the transaction of the caller: whatever comes
 * after them happens with them or not at all.
 */
export async function migrateTo(client: ClientBase, versions: ReadonlySet<number>): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [migration_lock])
  for (const migration of await readMigrations()) if (versions.has(migration.version)) await apply(client, migration)
}

/** Tells an operator the state of the schema, and what to do; `remedy` is for one that is behind. */
export function describe(state: ReturnType<typeof compare>, remedy = 'run `stint migrate up`'): string {
  if (state.state === 'current') return `the database schema is current (version ${state.version})`
  if (state.state === 'behind') {
    return `the database schema is at version ${state.version}, ${state.pending.length} migration(s) behind: ${remedy}`
  }
  if (state.state === 'newer') {
    return `the database schema (version ${state.version}) is newer than this release: install the newer release`
  }
  return `migration ${state.name} was changed after it was applied: restore the file of the release that applied it`
}

async function applied(client: PoolClient): Promise<Map<number, string>> {
  // Not to_regclass, which remembers within a transaction that there was no such table, also after the wait for the lock.
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_tables where schemaname = 'public' and tablename = 'schema_migrations')`,
  )
  if (!found[0]?.exists) return new Map()
  const { rows } = await client.query<{ version: number; checksum: string }>(
    'select version, checksum from schema_migrations',
  )
  return new Map(rows.map(({ version, checksum }) => [version, checksum]))
}

function compare(migrations: Migration[], done: Map<number, string>) {
  const version = Math.max(0, ...done.keys())
  const altered = migrations.find((one) => (done.get(one.version) ?? one.checksum) !== one.checksum)
  if (altered) return { state: 'altered', version, name: altered.name } as const
  if (version > Math.max(0, ...migrations.map((one) => one.version))) return { state: 'newer', version } as const
  const pending = migrations.filter((one) => !done.has(one.version))
  return pending.length > 0
    ? ({ state: 'behind', version, pending } as const)
    : ({ state: 'current', version } as const)
}

/** The next migration, tried again while others hold what it needs (40P01 deadlock, 55P03 lock not to be had in time). */
async function applyInTurn(client: PoolClient, migrations: Migration[]): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyNext(client, migrations)
    } catch (error) {
      const { code } = Object(Object(error).cause)
      if (tries === tries_max || (code !== '40P01' && code !== '55P03')) throw error
      await pause(Math.random() * again_max_ms)
    }
  }
}

async function applyNext(client: PoolClient, migrations: Migration[]): Promise<string | null> {
  try {
    await client.query('begin isolation level read committed')
    await client.query('select pg_advisory_xact_lock($1)', [migration_lock])
    const state = compare(migrations, await applied(client))
    if (state.state === 'newer' || state.state === 'altered') throw new StartRefused(describe(state))
    const [next] = state.state === 'behind' ? state.pending : []
    if (next) await apply(client, next)
    await client.query('commit')
    return next?.name ?? null
  } catch (error) {
    // On a lost connection the server rolls back by itself, and what is worth knowing is the first error.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function apply(client: ClientBase, { version, name, text, checksum }: Migration): Promise<void> {
  try {
    await client.query(`set local lock_timeout = ${lock_timeout_ms}`)
    await client.query(text)
    const values = [version, name, checksum]
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', values)
  } catch (cause) {
    throw new Error(`migration ${name} failed: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
