import type { Role } from '#core/caller.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

/** Accounts belong to no organization; of them a member shows the name and the address. */
const ofAccount = (column: 'name' | 'email'): Sql => sql`(
  select a.${raw(column)} from member_accounts a
  where a.organization_id = memberships.organization_id and a.user_id = memberships.user_id)`
export const nameOfAccount = ofAccount('name')
export const emailOfAccount = ofAccount('email')

export async function countOwners(tx: Transaction, organization_id: string): Promise<number> {
  const row = await tx.row<{ owners: number }>(sql`
    select count(*)::int as owners from memberships
    where organization_id = ${organization_id} and role = 'owner' and status = 'active'`)
  return row?.owners ?? 0
}

export async function deleteMembership(tx: Transaction, organization_id: string, user_id: string): Promise<void> {
  await tx.run(sql`delete from memberships where organization_id = ${organization_id} and user_id = ${user_id}`)
}

export async function isMember(tx: Transaction, organization_id: string, email: string): Promise<boolean> {
  const row = await tx.row(sql`
    select user_id from member_accounts
    where organization_id = ${organization_id} and lower(email) = lower(${email})`)
  return row !== undefined
}

/** Takes back the open invitations that a member made for roles other than these. */
export async function revokeInvitationsOf(
  tx: Transaction,
  organization_id: string,
  user_id: string,
  roles: readonly Role[],
): Promise<void> {
  await tx.run(sql`
    update member_invitations set revoked_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and invited_by ->> 'id' = ${user_id} and role <> all (${roles})
      and accepted_at is null and revoked_at is null`)
}
