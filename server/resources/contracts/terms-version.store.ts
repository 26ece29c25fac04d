import { sql, type Transaction } from '#db/database.ts'
import type { ContractRow } from './contract.ts'
import type { ContractTerms } from './terms.ts'

/** The terms of a contract as a whole from a date on; the first version is the contract as both parties signed it. */
export interface TermsVersion {
  version: number
  amendment_id: string | null
  effective_from: string
  terms: ContractTerms
}

/** Every version in the order of their writing; the one in force on a date is the latest with `effective_from` up to it. */
export function termsVersions(tx: Transaction, organization_id: string, contract_id: string): Promise<TermsVersion[]> {
  return tx.rows<TermsVersion>(sql`
    select version, amendment_id, effective_from, terms from contract_terms
    where organization_id = ${organization_id} and contract_id = ${contract_id} order by version`)
}

type NewVersion = Pick<TermsVersion, 'effective_from' | 'terms'> & Partial<Pick<TermsVersion, 'amendment_id'>>

/** Adds a version; the contract's row is locked, so two never take the same number. */
export async function addTermsVersion(
  tx: Transaction,
  { organization_id, id }: Pick<ContractRow, 'organization_id' | 'id'>,
  { amendment_id = null, effective_from, terms }: NewVersion,
): Promise<void> {
  await tx.run(sql`
    insert into contract_terms (organization_id, contract_id, version, amendment_id, effective_from, terms, created_at)
    select ${organization_id}::uuid, ${id}::uuid, coalesce(max(version), 0) + 1, ${amendment_id}::uuid,
           ${effective_from}::date, ${JSON.stringify(terms)}::jsonb, ${tx.now}::timestamptz
    from contract_terms where organization_id = ${organization_id} and contract_id = ${id}`)
}
