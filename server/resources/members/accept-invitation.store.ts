import type { Role } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'
import { digestOfSecret } from '#identity/token-format.ts'

/** The invitation behind a link, for the page that it opens; whoever holds the secret may know why it is over. */
export interface FoundInvitation {
  organization_id: string
  organization_name: string
  is_sandbox: boolean
  id: string
  email: string
  role: Role
  inviter: string
  state: 'open' | 'expired' | 'accepted' | 'revoked'
}

/** In a transaction of the role `lookup`: nobody knows yet which organization the link is of. */
export async function findMemberInvitation(tx: Transaction, secret: string): Promise<FoundInvitation | undefined> {
  const digest = digestOfSecret(secret)
  if (!digest) return undefined
  return tx.row<FoundInvitation>(sql`
    select i.organization_id, o.name as organization_name, o.is_sandbox, i.id, i.email, i.role,
           i.invited_by ->> 'name' as inviter,
           case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
                when i.expires_at <= app_now() then 'expired' else 'open' end as state
    from member_invitations i join organizations o on o.id = i.organization_id
    where i.digest = ${digest}`)
}

/**
 * Makes a user the member that an open invitation asks for, in a transaction of the role `operator` and its organization;
 * false when it was used, taken back or replaced meanwhile, or the user is a member already: a disabled one comes back by
 * nobody's old link.
 */
export async function acceptMemberInvitation(
  tx: Transaction,
  { organization_id, id }: Pick<FoundInvitation, 'organization_id' | 'id'>,
  { secret, user_id }: { secret: string; user_id: string },
): Promise<boolean> {
  const spent = await tx.row<{ role: Role }>(sql`
    update member_invitations set accepted_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and id = ${id} and digest = ${digestOfSecret(secret)}
      and accepted_at is null and revoked_at is null and expires_at > app_now()
    returning role`)
  if (!spent) return false
  const made = await tx.run(sql`
    insert into memberships (organization_id, user_id, role, created_at, updated_at)
    values (${organization_id}, ${user_id}, ${spent.role}, app_now(), app_now())
    on conflict (organization_id, user_id) do nothing`)
  return made === 1
}
