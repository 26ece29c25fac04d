import pg from 'pg'
import { DatabaseUnavailable, explain } from './errors.ts'
import { openingOf } from './opening.ts'
import type { Sql } from './sql.ts'
import { prepared, workOn } from './statements.ts'
import type { Transaction, TransactionOptions } from './transaction.ts'
import { rowTypes } from './types.ts'
import { writeTogether } from './write-together.ts'

export type { Transaction, TransactionOptions } from './transaction.ts'

export interface Database {
  /** Runs `work` in one transaction; an error rolls everything back. Serialization failures are repeated. */
  transaction<Result>(options: TransactionOptions, work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** One statement in its own transaction as the connecting user: the look-up of a credential. */
  row<Row extends object>(statement: Sql): Promise<Row | undefined>
  /** One connection outside any transaction, for migrations, LISTEN and benchmarks. */
  connect(): Promise<pg.PoolClient>
  pool: pg.Pool
  close(): Promise<void>
}

const repeats_max = 3

export function openDatabase(connection: pg.PoolConfig, options: { connections_max: number }): Database {
  const { options: given = '', ...target } = withOptionsApart(connection)
  const pool = new pg.Pool({
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...target,
    max: options.connections_max,
    types: rowTypes,
    pipeline: true,
    application_name: 'stint',
    options: `${given} -c timezone=UTC -c intervalstyle=iso_8601`.trim(),
  })
  // An idle connection that the server closes must not end the process; the next query opens another one.
  pool.on('error', () => undefined)
  // Nor may one that is lost inside a transaction, between two statements: the next statement fails and says so.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return {
    pool,
    connect: () => pool.connect(),
    close: () => pool.end(),
    row: (statement) => lookUp(pool, statement),
    transaction: (settings, work) => repeatOnConflict(() => runTransaction(pool, settings, work)),
  }
}

/** The driver lets the options of a connection string replace those beside it; taken out of it, they join ours. */
function withOptionsApart(connection: pg.PoolConfig): pg.PoolConfig {
  const { connectionString } = connection
  const url = connectionString === undefined ? null : URL.parse(connectionString)
  const options = url?.searchParams.get('options')
  if (!url || !options) return connection
  url.searchParams.delete('options')
  return { ...connection, connectionString: url.href, options }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  options: TransactionOptions,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await connectedFrom(pool)
  const signals: (() => void)[] = []
  let broken: Error | undefined
  let result: Result
  let { now } = options
  const opening = openOn(client, options).then((told) => {
    now ??= told
  })
  // Looked at where it is waited for, or when something behind it failed.
  opening.catch(() => undefined)
  const timeOf = () => {
    if (now === undefined) throw new Error('the time of a transaction is known when its first statement has answered')
    return now
  }
  try {
    if (!isHeldBack(options)) await opening
    result = await workOn(client, timeOf, signals, work)
    // The server answers ROLLBACK, and no error, where a statement had failed and the work went on all the same.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error inside it was swallowed')
  } catch (cause) {
    // A failed rollback means a dead connection: it leaves the pool, and the server rolls back by itself.
    await client.query('rollback').catch((error: Error) => {
      broken = error
    })
    // Behind an opening that failed every statement fails; the first fault is the one to tell.
    await opening.catch((fault) => {
      throw explain(fault)
    })
    throw explain(cause)
  } finally {
    client.release(broken)
  }
  for (const signal of signals) signal()
  return result
}

function isHeldBack({ now, begins_at_once = false }: TransactionOptions): boolean {
  return now !== undefined || begins_at_once
}

/** Opens the transaction and answers database time, unless that is known already. */
async function openOn(client: pg.PoolClient, options: TransactionOptions): Promise<string> {
  // Where time is known the first statement may come a few promises later.
  if (isHeldBack(options)) writeTogether(client, options.begins_at_once ? process.nextTick : setImmediate)
  // A message of several statements has several results, which the types of the driver do not say.
  const opened: pg.QueryResult<{ now: string }>[] = [await client.query(openingOf(options))].flat()
  return opened.at(-1)?.rows[0]?.now ?? ''
}

async function connectedFrom(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    // Whatever the reason (no such host, wrong password, all connections taken), the database does not serve us.
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatabaseUnavailable(`the database cannot be reached: ${reason}`, { cause })
  }
}

async function lookUp<Row extends object>(pool: pg.Pool, statement: Sql): Promise<Row | undefined> {
  // Not pool.query, which drops its connection on every SQL error (338 against 6,657 unique violations/s).
  const client = await connectedFrom(pool)
  let broken: unknown
  try {
    return (await client.query<Row>(prepared(statement))).rows[0]
  } catch (cause) {
    broken = explain(cause)
    throw broken
  } finally {
    client.release(broken instanceof DatabaseUnavailable ? broken : undefined)
  }
}

/** Deadlocks and serialization failures are the server asking to try again; nothing of the try remains. */
async function repeatOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (repeats >= repeats_max || !isConflict(error)) throw error
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
}
