import pg from 'pg'
import { DatabaseUnavailable, explain } from './errors.ts'
import { openingOf, type Role } from './opening.ts'
import { type Sql, textOf } from './sql.ts'
import { statementName } from './statement-names.ts'
import { rowTypes } from './types.ts'

/** What a query of this transaction can do. All statements of one transaction share one connection. */
export interface Transaction {
  /** Database time at the start of the transaction, RFC 3339 with milliseconds: the one clock of the service. */
  readonly now: string
  rows<Row extends object>(statement: Sql): Promise<Row[]>
  /** The first row, or undefined. */
  row<Row extends object>(statement: Sql): Promise<Row | undefined>
  /** Rows without their first columns, which stand beside them: what a list reads for itself is no part of its rows. */
  rowsBeside<Lead extends readonly unknown[], Row extends object>(
    lead_columns: Lead['length'],
    statement: Sql,
  ): Promise<RowBeside<Lead, Row>[]>
  /** Runs a statement and answers the number of rows it touched. */
  run(statement: Sql): Promise<number>
  /** Called after the commit, for signals only: nothing that must not be lost. It may also come for work undone to a savepoint. */
  afterCommit(signal: () => void): void
}

export interface RowBeside<Lead, Row> {
  lead: Lead
  row: Row
}

export interface TransactionOptions {
  role: Role
  organization_id?: string
  read_only?: boolean
}

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
  const pool = new pg.Pool({
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    ...connection,
    max: options.connections_max,
    types: rowTypes,
    pipeline: true,
    application_name: 'stint',
    options: `${connection.options ?? ''} -c timezone=UTC -c intervalstyle=iso_8601`.trim(),
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

async function runTransaction<Result>(
  pool: pg.Pool,
  options: TransactionOptions,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((cause) => {
    throw explain(cause)
  })
  let broken: Error | undefined
  try {
    const opened = (await client.query(openingOf(options))) as unknown as pg.QueryResult<{ now: string }>[]
    const signals: (() => void)[] = []
    const result = await work(transactionOn(client, opened.at(-1)?.rows[0]?.now ?? '', signals))
    await client.query('commit')
    for (const signal of signals) signal()
    return result
  } catch (cause) {
    // A failed rollback means a dead connection: it leaves the pool, and the server rolls back by itself.
    await client.query('rollback').catch((error: Error) => {
      broken = error
    })
    throw explain(cause)
  } finally {
    client.release(broken)
  }
}

function transactionOn(client: pg.PoolClient, now: string, signals: (() => void)[]): Transaction {
  return {
    now,
    rows: async <Row extends object>(statement: Sql) => (await client.query<Row>(prepared(statement))).rows,
    row: async <Row extends object>(statement: Sql) => (await client.query<Row>(prepared(statement))).rows[0],
    rowsBeside: async (lead_columns, statement) =>
      besideLead(await client.query({ ...prepared(statement), rowMode: 'array' }), lead_columns),
    run: async (statement) => (await client.query(prepared(statement))).rowCount ?? 0,
    afterCommit: (signal) => void signals.push(signal),
  }
}

/** Made from arrays, because copying whole objects without two fields took 67 µs for 50 contracts of 53 columns. */
function besideLead<Lead extends readonly unknown[], Row extends object>(
  { fields, rows }: pg.QueryArrayResult,
  lead_columns: number,
): RowBeside<Lead, Row>[] {
  const names = fields.map(({ name }) => name)
  const template = Object.fromEntries(names.slice(lead_columns).map((name) => [name, null as unknown]))
  return rows.map((values) => {
    const row = { ...template }
    for (let place = lead_columns; place < names.length; place += 1) row[names[place] ?? ''] = values[place]
    // The casts hold as for every statement: the caller knows which columns it reads.
    return { lead: values.slice(0, lead_columns) as unknown as Lead, row: row as Row }
  })
}

function prepared(statement: Sql): pg.QueryConfig {
  const text = textOf(statement)
  const name = statementName(text)
  return { text, values: [...statement.values], ...(name && { name }) }
}

async function lookUp<Row extends object>(pool: pg.Pool, statement: Sql): Promise<Row | undefined> {
  let client: pg.PoolClient | undefined
  let broken: unknown
  try {
    // Not pool.query, which drops its connection on every SQL error (338 against 6,657 unique violations/s).
    client = await pool.connect()
    return (await client.query<Row>(prepared(statement))).rows[0]
  } catch (cause) {
    broken = explain(cause)
    throw broken
  } finally {
    client?.release(broken instanceof DatabaseUnavailable ? broken : undefined)
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
