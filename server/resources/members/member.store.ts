import type { Caller, Role, Tenant } from '#core/caller.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

/** Accounts belong to no organization; of them a member shows who it is, and how well it is kept. */
const ofAccount = (column: 'name' | 'email' | 'has_second_factor'): Sql => sql`(
  select a.${raw(column)} from member_accounts a
  where a.organization_id = memberships.organization_id and a.user_id = memberships.user_id)`
export const nameOfAccount = ofAccount('name')
export const emailOfAccount = ofAccount('email')
export const keepsSecondFactor = ofAccount('has_second_factor')

/** The role that a team gives a member. */
export const roleByTeam: Sql = sql`(
  select s.team_role from own_members s
  where s.organization_id = memberships.organization_id and s.user_id = memberships.user_id)`

/** The roles that teams give to their members. */
export async function rolesByTeams(tx: Transaction, organization_id: string, team_ids: readonly string[]) {
  const rows = await tx.rows<{ role: Role }>(sql`
    select distinct mapped_role as role from teams
    where organization_id = ${organization_id} and id = any (${team_ids}) and mapped_role is not null
      and deleted_at is null`)
  return rows.map(({ role }) => role)
}

/** The names of a person: a login, an e-mail address, a user name. */
export interface Known {
  user_id: string | null
  email: string | null
  user_name: string | null
}

/** The members who are a person: by its login or by its addresses, as the trigger `close_memberships_of_person` has it. */
export function membersKnownAs(tx: Transaction, { organization_id, user_id, email, user_name }: Known & Tenant) {
  return tx.rows<{ user_id: string; role: Role }>(sql`
    select m.user_id, m.role from memberships m
    join member_accounts a on a.organization_id = m.organization_id and a.user_id = m.user_id
    where m.organization_id = ${organization_id} and m.status = 'active'
      and (m.user_id = ${user_id} or lower(a.email) in (lower(${email}), lower(${user_name})))`)
}

/** True where the access of who has this address was taken away, and nobody else has it now. */
export async function isClosedAddress(tx: Transaction, organization_id: string, email: string): Promise<boolean> {
  const row = await tx.row(sql`
    select bool_or(access = 'disabled') as is_closed from people
    where organization_id = ${organization_id} and lower(${email}) in (email_lower, user_name_lower)
    having bool_or(access = 'disabled') and not bool_or(access <> 'disabled' and deleted_at is null)`)
  return row !== undefined
}

/** True while the person stands, closed, with whom a member was closed. */
export async function isClosedWith(tx: Transaction, organization_id: string, person_id: string): Promise<boolean> {
  const row = await tx.row(sql`
    select id from people
    where organization_id = ${organization_id} and id = ${person_id} and access = 'disabled' and deleted_at is null`)
  return row !== undefined
}

const late_invitation_days = 7

/** Makers of the invitation by which the user behind a caller became a member lately: the link may never have left their hands. */
export async function lateInviters(
  tx: Transaction,
  { organization_id, user_id }: Pick<Caller, 'organization_id' | 'user_id'>,
): Promise<string[]> {
  const rows = await tx.rows<{ inviter: string }>(sql`
    select m.invited_by ->> 'id' as inviter from invitations i
    join member_invitations m on m.organization_id = i.organization_id and m.id = i.subject_id
    where i.organization_id = ${organization_id} and i.kind = 'member' and i.user_id = ${user_id ?? null}
      and m.accepted_at > ${tx.real_now}::timestamptz - make_interval(days => ${late_invitation_days})
      and m.invited_by ->> 'id' is not null`)
  return rows.map(({ inviter }) => inviter)
}

/** Owners who can sign in: whose access as a person was closed is none (the same rule as the policy `lookup`). */
export async function ownersOf(tx: Transaction, organization_id: string): Promise<string[]> {
  const rows = await tx.rows<{ user_id: string }>(sql`
    select m.user_id from memberships m
    where m.organization_id = ${organization_id} and m.role = 'owner' and 'owner' = (
      select s.role from own_members s where s.organization_id = m.organization_id and s.user_id = m.user_id)`)
  return rows.map(({ user_id }) => user_id)
}

export async function deleteMembership(tx: Transaction, organization_id: string, user_id: string): Promise<void> {
  await tx.run(sql`delete from memberships where organization_id = ${organization_id} and user_id = ${user_id}`)
}

/** The status of the member who has an address, undefined where nobody has it. */
export async function statusByEmail(tx: Transaction, organization_id: string, email: string) {
  const row = await tx.row<{ status: 'active' | 'disabled' }>(sql`
    select m.status from member_accounts a
    join memberships m on m.organization_id = a.organization_id and m.user_id = a.user_id
    where a.organization_id = ${organization_id} and lower(a.email) = lower(${email})`)
  return row?.status
}

/** False where the user is a member already, disabled ones too: those come back by nobody's link. */
export async function insertMembership(
  tx: Transaction,
  { organization_id, user_id, role }: { organization_id: string; user_id: string; role: Role },
): Promise<boolean> {
  const rows = await tx.run(sql`
    insert into memberships (organization_id, user_id, role, created_at, updated_at)
    values (${organization_id}, ${user_id}, ${role}, app_now(), app_now())
    on conflict (organization_id, user_id) do nothing`)
  return rows === 1
}

/** Takes back the open invitations that a member made for roles other than these; answers their ids. */
export async function revokeInvitationsOf(
  tx: Transaction,
  organization_id: string,
  user_id: string,
  roles: readonly Role[],
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    update member_invitations set revoked_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and invited_by ->> 'id' = ${user_id} and role <> all (${roles})
      and accepted_at is null and revoked_at is null
    returning id`)
  return rows.map(({ id }) => id)
}
