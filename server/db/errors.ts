import pg from 'pg'

/** The database did not answer or the connection broke: nothing is known about the caller's request. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

const unavailableCodes = new Set([
  '53100',
  '53200',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '25006',
])

const unavailableMessages =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|timeout exceeded|Connection terminated|Connection ended|not queryable|ending the pool/

/** What driver and sockets throw. A refusal of ours has a name of its own, whatever its words ("is terminated") say. */
const unnamed = new Set(['Error', 'AggregateError'])

/** Translates failures of the database itself (away, full, shutting down) into one error; others stay as they are. */
export function explain(cause: unknown): unknown {
  if (cause instanceof pg.DatabaseError) {
    return cause.code && unavailableCodes.has(cause.code) ? new DatabaseUnavailable(cause.message, { cause }) : cause
  }
  if (
    cause instanceof Error &&
    unnamed.has(cause.name) &&
    unavailableMessages.test(`${cause.message} ${'code' in cause ? cause.code : ''}`)
  ) {
    return new DatabaseUnavailable('the database does not answer', { cause })
  }
  return cause
}

/** Name of the unique index or constraint that a statement violated, else null. */
export function violatedConstraint(error: unknown): string | null {
  const violated = error instanceof pg.DatabaseError && ['23505', '23P01', '23514'].includes(error.code ?? '')
  return violated ? (error.constraint ?? null) : null
}
