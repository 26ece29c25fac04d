import type { Role, TransactionOptions } from './transaction.ts'

/** A statement of a request ends with it: authorization design 5.4 promises that calls end within 30 s. */
const statement_timeout_ms = 30_000

/** Row locks of a process that hung, or whose host is gone without a word, are free after this. */
const idle_timeout_ms = 60_000

// Named, because whoever waits for a lock reads again what the holder changed, whatever the server's default is.
const begin = 'begin isolation level read committed'

// Two `set local` cost 5 µs, `set_config` in the select 13 µs.
const idleTimeout = `set local idle_in_transaction_session_timeout = ${idle_timeout_ms}`

/** The role that the login of the service takes on for a transaction; `none` is the login itself. */
export const roleNames: Record<Role, string> = {
  app: 'stint_app',
  engine: 'stint_engine',
  lookup: 'stint_lookup',
  operator: 'stint_operator',
  owner: 'none',
}

const settingsOfRole: Record<Role, string[]> = {
  app: [`set local statement_timeout = ${statement_timeout_ms}`, idleTimeout],
  engine: [idleTimeout],
  lookup: [`set local statement_timeout = ${statement_timeout_ms}`, idleTimeout],
  operator: [],
  owner: [],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The one message that opens a transaction: role, organization, timeouts and clock in a single round trip. `SET LOCAL`
 * ends with the transaction, so this also holds behind a transaction-mode pooler.
 */
export function openingOf({ role, organization_id, read_only, now }: TransactionOptions): string {
  const parts = [`${begin}${read_only ? ' read only' : ''}`]
  if (role !== 'owner') parts.push(`set local role ${roleNames[role]}`)
  parts.push(...settingsOfRole[role])
  if (organization_id !== undefined) {
    // SET takes no parameters, hence the exact check of what is written into the text.
    if (!uuid.test(organization_id)) throw new TypeError('organization_id is not a lower-case UUID')
    parts.push(`set local app.organization_id = '${organization_id}'`)
  }
  if (now === undefined) parts.push('select app_now()::timestamptz(3) as now')
  return parts.join(';')
}
