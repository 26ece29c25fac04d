import type { Dependents } from '#core/dependents.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'

type Person = { organization_id: string; id: string }

export const direct_reports = sql`(
  select count(*)::int from people r
  where r.organization_id = people.organization_id and r.manager_id = people.id and r.deleted_at is null)`

/** The time of the last write of an identity provider, as long as it keeps the person. */
export const provisioned_at = sql`case when people.scim_removed_at is null then people.scim_synced_at end`

export function isProvisioned(wished: boolean): Sql {
  const is_kept = sql`(people.scim_linked_at is not null and people.scim_removed_at is null)`
  return wished ? is_kept : sql`not ${is_kept}`
}

export function isInTeam(team_id: string, organization_id: string): Sql {
  return sql`people.id in (
    select x.person_id from team_members x where x.organization_id = ${organization_id} and x.team_id = ${team_id})`
}

export function hasEmail(email: string): Sql {
  return sql`people.email_lower = ${email.toLowerCase()}`
}

/** People who have not been deleted: what they name stays. */
export const standing_people: Dependents = { table: 'people', standing: sql`deleted_at is null` }

/** The first of these addresses that no other person has. */
export async function freeEmail(
  tx: Transaction,
  { organization_id, id }: Person,
  candidates: readonly string[],
): Promise<string | null> {
  const lowered = candidates.map((email) => email.toLowerCase()).sort()
  // Several may have one address, and be made at the same time: the first of them has it.
  tx.send(sql`
    select pg_advisory_xact_lock(hashtextextended(${organization_id} || email, 0)) from unnest(${lowered}::text[]) email`)
  const taken = await tx.rows<{ email_lower: string }>(sql`
    select email_lower from people where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and email_lower = any (${lowered})`)
  return candidates.find((email) => !taken.some(({ email_lower }) => email_lower === email.toLowerCase())) ?? null
}

/** True when something refers to the person, so that a removal only hides it. */
export async function isReferredTo(tx: Transaction, { organization_id, id }: Person): Promise<boolean> {
  const row = await tx.row(sql`
    select 1 from contracts where organization_id = ${organization_id} and worker_id = ${id}
    union all select 1 from people where organization_id = ${organization_id} and manager_id = ${id} and deleted_at is null
    union all select 1 from time_offs where organization_id = ${organization_id} and person_id = ${id} limit 1`)
  return row !== undefined
}

/**
 * The address of somebody who was erased, since contracts and invoices name one: nobody's (RFC 2606), and not that of another
 * one where addresses are told apart.
 */
export const erasedEmail = (id: string): string => `${id}@erased.invalid`

/** Takes the account of somebody who is erased off what stays, and the addresses of mail and network. */
export function forgetLogin(
  tx: Transaction,
  { organization_id, id, user_id, email }: Person & { user_id: string | null; email: string | null },
): void {
  tx.send(sql`
    update invitations set email = '', user_id = null
    where organization_id = ${organization_id} and outcome is not null and (
      kind = 'worker' and subject_id in (
        select c.id from contracts c where c.organization_id = ${organization_id} and c.worker_id = ${id})
      or kind = 'member' and (lower(email) = lower(${email}) or user_id = ${user_id}))`)
  tx.send(sql`
    update member_invitations set email = ${erasedEmail(id)}
    where organization_id = ${organization_id} and email_lower = lower(${email})
      and (accepted_at is not null or revoked_at is not null or expires_at <= ${tx.now})`)
  tx.send(sql`
    update oauth_grants set user_id = null
    where organization_id = ${organization_id} and user_id = ${user_id} and revoked_at is not null`)
  tx.send(sql`
    update access_tokens set last_used_address = null
    where organization_id = ${organization_id} and (person_id = ${id} or user_id = ${user_id})`)
}
