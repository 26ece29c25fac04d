import { sql, type Transaction } from '#db/database.ts'

/** The ones among these adjustments that a copy was made of already, also where it was deleted since. */
export async function copiedOf(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select recurred_from_id as id from invoice_adjustments
    where organization_id = ${organization_id} and recurred_from_id = any (${ids})`)
  return new Set(rows.map(({ id }) => id))
}
