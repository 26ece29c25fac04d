import type { Dependents } from '#core/dependents.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { noValues } from '#resources/custom-fields/index.ts'
import type { ContractTerms } from './terms.ts'

/** A condition and no filter: the person of a worker's own credential is not looked up as a reference. */
export const ofWorker = (worker_id: string): Sql => sql`contracts.worker_id = ${worker_id}`

export function hasWorkerWithEmail(email: string, organization_id: string): Sql {
  return sql`contracts.worker_id = any (array(
    select w.id from people w where w.organization_id = ${organization_id} and w.email_lower = ${email.toLowerCase()}))`
}

/**
 * The named legal entity or else the default one, held until the transaction ends, the organization's time zone, and the
 * custom fields of a contract without values.
 */
export function holdLegalEntity(tx: Transaction, organization_id: string, id: string | undefined) {
  return tx.row<{ id: string; name: string; timezone: string; shown_custom_fields: Record<string, unknown> }>(sql`
    select e.id, e.name, o.timezone, ${noValues('contract')} as shown_custom_fields from legal_entities e join organizations o on o.id = e.organization_id
    where e.organization_id = ${organization_id} and ${id === undefined ? raw('e.is_default') : sql`e.id = ${id}`}
      and e.deleted_at is null for key share of e`)
}

/** The part of an invitation that no row of a list carries: words to the worker, and the token of its link. */
export interface InvitationSecret {
  message: string | null
  sealed: Buffer
  digest: Buffer
}

/** The assignments by which a change of a contract writes the secret part of its invitation. */
export function secretAssignments(secret?: InvitationSecret): Sql[] {
  return [sql`invitation_message = ${secret?.message ?? null}`, sql`invitation_sealed = ${secret?.sealed ?? null}`]
}

/** The words of the open invitation, and the sealed token of its link, which is gone once somebody has used it. */
export async function findInvitationSecret(tx: Transaction, organization_id: string, id: string) {
  const row = await tx.row<Omit<InvitationSecret, 'digest' | 'sealed'> & { sealed: Buffer | null }>(sql`
    select invitation_message as message, invitation_sealed as sealed from contracts
    where organization_id = ${organization_id} and id = ${id}`)
  return row ?? { message: null, sealed: null }
}

/** The token of a link that was used is of no use any more. */
export async function dropInvitationToken(tx: Transaction, organization_id: string, id: string): Promise<void> {
  await tx.run(sql`
    update contracts set invitation_sealed = null where organization_id = ${organization_id} and id = ${id}`)
}

/** The status that a person has by its contracts, as one text value (domain rules 3.7). */
export function derivedPersonStatus(organization_id: string, person_id: string): Sql {
  return sql`(
    select case
      when bool_or(status = 'active' and termination is null) then 'active'
      when bool_or(status = 'active') then 'offboarding'
      when bool_or(status = 'pending') then 'pending'
      when count(*) > 0 then 'inactive'
      else 'active'
    end
    from contracts where organization_id = ${organization_id} and worker_id = ${person_id})`
}

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

/** The same of many contracts, by their ids. */
export async function termsVersionsOf(tx: Transaction, organization_id: string, contract_ids: readonly string[]) {
  const rows = await tx.rows<TermsVersion & { contract_id: string }>(sql`
    select contract_id, version, amendment_id, effective_from, terms from contract_terms
    where organization_id = ${organization_id} and contract_id = any (${contract_ids}) order by version`)
  return Map.groupBy(rows, ({ contract_id }) => contract_id)
}

type NewVersion = Pick<TermsVersion, 'effective_from' | 'terms'> & Partial<Pick<TermsVersion, 'amendment_id'>>

/** Adds a version; the contract's row is locked, so two never take the same number. */
export async function addTermsVersion(
  tx: Transaction,
  { organization_id, id }: { organization_id: string; id: string },
  { amendment_id = null, effective_from, terms }: NewVersion,
): Promise<void> {
  await tx.run(sql`
    insert into contract_terms (organization_id, contract_id, version, amendment_id, effective_from, terms, created_at)
    select ${organization_id}::uuid, ${id}::uuid, coalesce(max(version), 0) + 1, ${amendment_id}::uuid,
           ${effective_from}::date, ${JSON.stringify(terms)}::jsonb, ${tx.now}::timestamptz
    from contract_terms where organization_id = ${organization_id} and contract_id = ${id}`)
}

/** Contracts that have not ended: what they name stays. */
export const open_contracts: Dependents = { table: 'contracts', standing: sql`status in ('pending', 'active')` }
