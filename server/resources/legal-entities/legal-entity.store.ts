import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface LegalEntityRef {
  id: string
  name: string
}

/** The default legal entity of a new organization; the database refuses an organization without one. */
export async function insertDefaultLegalEntity(
  tx: Transaction,
  { id, organization_id, name, country }: LegalEntityRef & { organization_id: string; country: string | null },
): Promise<void> {
  await tx.run(sql`
    insert into legal_entities (organization_id, id, name, country, kind, is_default, created_at, updated_at)
    values (${organization_id}, ${id}, ${name}, ${country}, 'company', true, ${tx.now}, ${tx.now})`)
}

/**
 * The legal entity of this id, or the default one for null. It is locked against deletion until the transaction ends,
 * so that a row which names it is never written beside its deletion.
 */
export function holdLegalEntity(
  tx: Transaction,
  organization_id: string,
  id: string | null,
): Promise<LegalEntityRef | undefined> {
  const wanted = id === null ? sql`is_default` : sql`id = ${id}`
  return tx.row<LegalEntityRef>(sql`
    select id, name from legal_entities
    where organization_id = ${organization_id} and ${wanted} and deleted_at is null for key share`)
}

export async function legalEntityExists(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const row = await tx.row(
    sql`select id from legal_entities where organization_id = ${organization_id} and id = ${id} and deleted_at is null`,
  )
  return row !== undefined
}
