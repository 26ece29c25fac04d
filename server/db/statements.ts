import type pg from 'pg'
import { type Sql, sql, textOf } from './sql.ts'
import { statementName } from './statement-names.ts'
import type { RowBeside, Transaction } from './transaction.ts'
import { writeTogether } from './write-together.ts'

/**
 * Gives `work` the statements of a transaction for as long as it runs. A branch that a failed `Promise.all` left behind
 * must write neither after the rollback nor into the transaction that the connection carries next.
 */
export async function workOn<Result>(
  client: pg.PoolClient,
  now: () => string,
  signals: (() => void)[],
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let ended = false
  const open = () => {
    if (ended) throw new Error('a statement came after the end of its transaction')
    writeTogether(client, process.nextTick)
    return client
  }
  const tx: Transaction = {
    get now() {
      return now()
    },
    rows: async <Row extends object>(statement: Sql) => (await open().query<Row>(prepared(statement))).rows,
    row: async <Row extends object>(statement: Sql) => (await open().query<Row>(prepared(statement))).rows[0],
    rowsBeside: async (lead_columns, statement) =>
      besideLead(await open().query({ ...prepared(statement), rowMode: 'array' }), lead_columns),
    run: async (statement) => (await open().query(prepared(statement))).rowCount ?? 0,
    attempt: (inner) => attemptOn(open(), tx, signals, inner),
    afterCommit: (signal) => void signals.push(signal),
  }
  try {
    return await work(tx)
  } finally {
    ended = true
  }
}

async function attemptOn<Result>(
  client: pg.PoolClient,
  outer: Transaction,
  signals: (() => void)[],
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const own: (() => void)[] = []
  await outer.run(sql`savepoint attempt`)
  try {
    const result = await workOn(client, () => outer.now, own, work)
    signals.push(...own)
    return result
  } catch (error) {
    await outer.run(sql`rollback to savepoint attempt`)
    throw error
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

export function prepared(statement: Sql): pg.QueryConfig {
  const text = textOf(statement)
  const name = statementName(text)
  return { text, values: [...statement.values], ...(name && { name }) }
}
