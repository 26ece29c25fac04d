import { sql, type Transaction } from '#db/database.ts'
import { digestOfSecret } from './token-format.ts'

/** The purpose of an invitation, and the row that it is about: of a worker, the contract. */
export interface Invited {
  organization_id: string
  kind: 'worker' | 'member'
  subject_id: string
}

/** Ends of an invitation before its time, and the end of its time where somebody has noted it. */
export type InvitationEnd = 'used' | 'replaced' | 'revoked' | 'expired' | 'over'

export interface InvitationRow extends Invited {
  digest: Buffer
  /** The address that it was sent to: that of the login, whoever comes with the link. */
  email: string
  expires_at: string
  outcome: InvitationEnd | null
  organization_name: string
  is_sandbox: boolean
  /** The login by this address, where there is one already. */
  known_user_id: string | null
}

/** Stores a new invitation; the open one about the same row has been ended before. */
export async function insertInvitation(
  tx: Transaction,
  { organization_id, kind, subject_id }: Invited,
  { digest, email, expires_at }: Pick<InvitationRow, 'digest' | 'email' | 'expires_at'>,
): Promise<void> {
  await tx.run(sql`
    insert into invitations (organization_id, digest, kind, subject_id, email, expires_at)
    values (${organization_id}, ${digest}, ${kind}, ${subject_id}, ${email}, ${expires_at})`)
}

/** Ends the open invitation about a row, if there is one; its link then says how it ended. */
export async function endInvitation(
  tx: Transaction,
  { organization_id, kind, subject_id }: Invited,
  outcome: Exclude<InvitationEnd, 'used'>,
): Promise<void> {
  await tx.run(sql`
    update invitations set outcome = case when expires_at <= ${tx.now} then 'expired' else ${outcome} end
    where organization_id = ${organization_id} and kind = ${kind} and subject_id = ${subject_id} and outcome is null`)
}

/** The invitation that a link's secret belongs to, whatever its state; a malformed one is never asked for. */
export async function findInvitation(tx: Transaction, secret: string): Promise<InvitationRow | undefined> {
  const digest = digestOfSecret(secret)
  if (!digest) return undefined
  return tx.row<InvitationRow>(sql`
    select i.organization_id, i.digest, i.kind, i.subject_id, i.email, i.expires_at, i.outcome,
           o.name as organization_name, o.is_sandbox, u.id as known_user_id
    from invitations i
    join organizations o on o.id = i.organization_id
    left join users u on lower(u.email) = lower(i.email)
    where i.digest = ${digest}`)
}

/** Uses an invitation up; answers how it ended meanwhile where it cannot be. Of two at once the second one waits. */
export async function spendInvitation(
  tx: Transaction,
  { organization_id, digest }: Pick<InvitationRow, 'organization_id' | 'digest'>,
): Promise<InvitationEnd | null> {
  const rows = await tx.run(sql`
    update invitations set outcome = 'used'
    where organization_id = ${organization_id} and digest = ${digest} and outcome is null and expires_at > ${tx.now}`)
  if (rows === 1) return null
  const ended = await tx.row<Pick<InvitationRow, 'outcome'>>(sql`
    select outcome from invitations where organization_id = ${organization_id} and digest = ${digest}`)
  return ended?.outcome ?? 'expired'
}

/** True while a link can be used. */
export async function invitationStands(tx: Transaction, organization_id: string, secret: string): Promise<boolean> {
  const row = await tx.row(sql`
    select digest from invitations
    where organization_id = ${organization_id} and digest = ${digestOfSecret(secret)} and outcome is null
      and expires_at > ${tx.now}`)
  return row !== undefined
}

interface NewLogin {
  id: string
  name: string
  password_hash: string
}

/** Makes the login of an invitation that this transaction has used; false where somebody has one by its address. */
export async function makeInvitedLogin(
  tx: Transaction,
  { digest }: Pick<InvitationRow, 'digest'>,
  { id, name, password_hash }: NewLogin,
): Promise<boolean> {
  const made = await tx.row<{ id: string | null }>(
    sql`select make_invited_login(${digest}, ${id}, ${name}, ${password_hash}) as id`,
  )
  return made?.id === id
}

/** Notes the login that used an invitation. */
export async function noteInvited(
  tx: Transaction,
  { organization_id, digest }: Pick<InvitationRow, 'organization_id' | 'digest'>,
  user_id: string,
): Promise<void> {
  await tx.run(sql`
    update invitations set user_id = ${user_id} where organization_id = ${organization_id} and digest = ${digest}`)
}
