import type { TransactionOptions } from './database.ts'

/**
 * `app` sees the rows of one organization, `engine` the webhook rows and timers of all, `lookup` reads credentials and
 * organizations; none owns a table, so row-level security binds them. `operator` is the connecting user itself, for the operator's own commands.
 */
export type Role = 'app' | 'engine' | 'lookup' | 'operator'

const roleStatements: Record<Role, string[]> = {
  app: ['set local role stint_app'],
  engine: ['set local role stint_engine'],
  lookup: ['set local role stint_lookup'],
  operator: [],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The one message that opens a transaction: role, organization and clock in a single round trip. `SET LOCAL` ends with
 * the transaction, so this also holds behind a transaction-mode pooler.
 */
export function openingOf({ role, organization_id, read_only }: TransactionOptions): string {
  const parts = [read_only ? 'begin read only' : 'begin', ...roleStatements[role]]
  if (organization_id !== undefined) {
    // SET takes no parameters, hence the exact check of what is written into the text.
    if (!uuid.test(organization_id)) throw new TypeError('organization_id is not a lower-case UUID')
    parts.push(`set local app.organization_id = '${organization_id}'`)
  }
  parts.push('select app_now()::timestamptz(3) as now')
  return parts.join(';')
}
