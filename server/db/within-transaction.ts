import type { Database } from './database.ts'
import { roleNames } from './opening.ts'
import { sql } from './sql.ts'
import type { Role, Transaction } from './transaction.ts'

/**
 * The database from within one transaction of it: whatever is called with it commits together or not at all. Each
 * transaction inside takes on its own role and organization for the rest, so they come one after the other.
 */
export function withinTransaction(database: Database, tx: Transaction): Database {
  const assume = (role: Role, organization_id = '') =>
    tx.run(sql`
      select set_config('role', ${roleNames[role]}, true), set_config('app.organization_id', ${organization_id}, true)`)
  return {
    ...database,
    async transaction({ role, organization_id }, work) {
      await assume(role, organization_id)
      return work(tx)
    },
    async row(statement) {
      await assume('owner')
      return tx.row(statement)
    },
  }
}
