import type { Sql } from './sql.ts'

/**
 * `app` sees the rows of one organization, `engine` the webhook rows and timers of all; `lookup` reads credentials and
 * organizations, proves clients and keeps sessions; `operator` makes organizations, owners and their credentials. None
 * owns a table, so row-level security binds them. `owner` is the connecting user itself, which owns the tables only where
 * tests and benchmarks connect so: nothing in the service runs as it.
 */
export type Role = 'app' | 'engine' | 'lookup' | 'operator' | 'owner'

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
  /** Runs `work` under a savepoint: its error undoes what it did, and the rest of the transaction can go on. */
  attempt<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Called after the commit, for signals only: nothing that must not be lost. */
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
  /** Database time that is known already: the work begins without waiting for the opening, and both travel together. */
  now?: string | undefined
  /** The work begins without waiting for the opening, as with `now`; time is told with the answer to its first statement. */
  begins_at_once?: boolean
}
