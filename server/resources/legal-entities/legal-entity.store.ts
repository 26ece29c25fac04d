import { sql, type Transaction } from '#db/database.ts'

/** Locks the organization, so that of two who move the mark one waits, and answers the default legal entity. */
export async function findDefault(tx: Transaction, organization_id: string): Promise<string | undefined> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row<{ id: string }>(
    sql`select id from legal_entities where organization_id = ${organization_id} and is_default`,
  )
  return row?.id
}
