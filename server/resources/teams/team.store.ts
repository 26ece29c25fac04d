import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface TeamRef {
  id: string
  name: string
}

/** The team, locked against deletion until the transaction ends, so that nothing is written that names a deleted one. */
export function holdTeam(tx: Transaction, organization_id: string, id: string): Promise<TeamRef | undefined> {
  return tx.row<TeamRef>(sql`
    select id, name from teams
    where organization_id = ${organization_id} and id = ${id} and deleted_at is null for key share`)
}

export async function teamExists(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const row = await tx.row(
    sql`select id from teams where organization_id = ${organization_id} and id = ${id} and deleted_at is null`,
  )
  return row !== undefined
}
