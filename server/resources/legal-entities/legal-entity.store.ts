import { sql, type Transaction } from '#db/database.ts'

/** The default legal entity of an organization, locked against deletion until the transaction ends. */
export function holdDefaultLegalEntity(
  tx: Transaction,
  organization_id: string,
): Promise<{ id: string; name: string } | undefined> {
  return tx.row(sql`
    select id, name from legal_entities
    where organization_id = ${organization_id} and is_default and deleted_at is null for key share`)
}
