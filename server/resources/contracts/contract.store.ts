import { type Sql, sql, type Transaction } from '#db/database.ts'

/** A condition and no filter: the person of a worker's own credential is not looked up as a reference. */
export const ofWorker = (worker_id: string): Sql => sql`contracts.worker_id = ${worker_id}`

export function hasWorkerWithEmail(email: string, organization_id: string): Sql {
  return sql`contracts.worker_id = any (array(
    select w.id from people w where w.organization_id = ${organization_id} and w.email_lower = ${email.toLowerCase()}))`
}

/** The secret part of an invitation, which no row of a list carries. */
export interface InvitationSecret {
  message: string | null
  sealed: Buffer
  digest: Buffer
}

/** The assignments by which a change of a contract writes the secret part of its invitation. */
export function secretAssignments(secret?: InvitationSecret): Sql[] {
  return [
    sql`invitation_message = ${secret?.message ?? null}`,
    sql`invitation_sealed = ${secret?.sealed ?? null}`,
    sql`invitation_digest = ${secret?.digest ?? null}`,
  ]
}

/** The sealed token of the open invitation's link. */
export async function findSealedInvitation(
  tx: Transaction,
  organization_id: string,
  id: string,
): Promise<Buffer | null> {
  const row = await tx.row<{ invitation_sealed: Buffer | null }>(
    sql`select invitation_sealed from contracts where organization_id = ${organization_id} and id = ${id}`,
  )
  return row?.invitation_sealed ?? null
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
