import pg from 'pg'

/** The database did not answer or the connection broke: nothing is known about the caller's request. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** Connection failures, a server that is full, ending, or read-only after a failover, its timeouts, and a broken disk. */
const unavailableCodes = new Set(
  '08000 08003 08006 25006 25P03 53100 53200 53300 57014 57P01 57P02 57P03 57P05 58000 58030'.split(' '),
)

/** A file system that is read-only has the code of a missing right, whose words begin with "permission denied". */
const isOfFile = ({ code, message }: pg.DatabaseError) => code === '42501' && /^could not \w+ /.test(message)

/** PgBouncer has this code for everything; of the server it is a statement with too few values, a fault of our own. */
const isOfPooler = ({ code, message }: pg.DatabaseError) => code === '08P01' && !message.startsWith('bind message')

const socketCodes = new Set('ECONNREFUSED ECONNRESET EPIPE ENOENT ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '))

// The driver has no codes for these. The whole beginning is compared: a refusal of ours, "The contract is terminated",
// passes here too and is no failure of the database.
const driverMessages =
  /^(Connection terminated|Connection ended|timeout e|Query read timeout|Client (was|has) .* not queryable|Cannot use a pool)/

/** When a statement last failed because the server had no space on a disk, and how often that was in this process. */
export const diskFull = { failures: 0, last_at_ms: Number.NEGATIVE_INFINITY }

/** Translates failures of the database itself (away, full, shutting down) into one error; others stay as they are. */
export function explain(cause: unknown): unknown {
  if (cause instanceof pg.DatabaseError) {
    if (cause.code === '53100') noteDiskFull()
    return unavailableCodes.has(cause.code ?? '') || isOfFile(cause) || isOfPooler(cause)
      ? new DatabaseUnavailable(cause.message, { cause })
      : cause
  }
  if (cause instanceof Error && (socketCodes.has(codeOf(cause)) || driverMessages.test(cause.message))) {
    return new DatabaseUnavailable('the database does not answer', { cause })
  }
  return cause
}

function noteDiskFull(): void {
  diskFull.failures += 1
  diskFull.last_at_ms = Date.now()
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}

/** Name of the unique index or constraint that a statement violated, else null. */
export function violatedConstraint(error: unknown): string | null {
  const violated = error instanceof pg.DatabaseError && ['23505', '23P01', '23514'].includes(error.code ?? '')
  return violated ? (error.constraint ?? null) : null
}
