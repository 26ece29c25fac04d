import type { Actor, Role } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import { sql, type Transaction } from '#db/database.ts'
import { digestOfSecret, newSecret } from './token-format.ts'

export interface UserRow {
  id: string
  email: string
  name: string
  password_hash: string | null
}

export function findUserByEmail(
  tx: Transaction,
  email: string,
): Promise<(UserRow & { disabled_at: string | null }) | undefined> {
  return tx.row(sql`
    select id, email, name, password_hash, disabled_at from users where lower(email) = lower(${email})`)
}

/** An account that is not disabled, held until the end of the transaction: what changes it comes one after the other. */
export function lockUser(tx: Transaction, user_id: string): Promise<UserRow | undefined> {
  return tx.row<UserRow>(sql`
    select id, email, name, password_hash from users where id = ${user_id} and disabled_at is null for update`)
}

export function findUser(tx: Transaction, id: string): Promise<Pick<UserRow, 'id' | 'email'> | undefined> {
  return tx.row(sql`select id, email from users where id = ${id}`)
}

export async function insertUser(tx: Transaction, { id, email, name, password_hash }: UserRow): Promise<void> {
  await tx.run(sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    values (${id}, ${email}, ${name}, ${password_hash}, app_now(), app_now())`)
}

export async function grantMembership(
  tx: Transaction,
  organization_id: string,
  user_id: string,
  role: Role,
): Promise<void> {
  await tx.run(sql`
    insert into memberships (organization_id, user_id, role, created_at, updated_at)
    values (${organization_id}, ${user_id}, ${role}, app_now(), app_now())
    on conflict (organization_id, user_id)
    do update set role = excluded.role, status = 'active', closed_by = null, updated_at = excluded.updated_at`)
}

/** Replaces one password hash by another; false when it is not the one any more. */
export async function setPasswordHash(
  tx: Transaction,
  { user_id, from, to }: { user_id: string; from: string | null; to: string },
): Promise<boolean> {
  const rows = await tx.run(sql`
    update users set password_hash = ${to}, updated_at = app_now()
    where id = ${user_id} and password_hash is not distinct from ${from}`)
  return rows === 1
}

/** Sets a password whatever was there; false for a user who is disabled. */
export async function replacePassword(tx: Transaction, user_id: string, password_hash: string): Promise<boolean> {
  const rows = await tx.run(sql`
    update users set password_hash = ${password_hash}, updated_at = app_now()
    where id = ${user_id} and disabled_at is null`)
  return rows === 1
}

/** The role that counts for a user in an organization, by hand or by a team; undefined for who is no member or a disabled one. */
export async function roleIn(tx: Transaction, organization_id: string, user_id: string): Promise<Role | undefined> {
  const row = await tx.row<{ role: Role }>(sql`
    select role from own_members where organization_id = ${organization_id} and user_id = ${user_id}`)
  return row?.role
}

/** The link of the first owner lies in a file that the operator opens at once; the other is handed to somebody else. */
const first_owner_life_s = 30 * 60
const user_life_s = 24 * 3_600

export interface SetUpLink {
  digest: Buffer
  /** The user for whom it sets a password; null for the first owner, who does not exist yet. */
  user_id: string | null
  email: string | null
  name: string | null
  /** It takes off the second factors as well: the way back in for who lost them. */
  resets_factors: boolean
  is_used: boolean
  is_expired: boolean
}

/**
 * Makes a one-time link: for the first owner (without a user), or for a user to choose a password; ends those made before
 * for the same purpose. The secret is in what this answers only, and travels behind the `#` of an address, which no browser
 * sends to any server.
 */
export async function createSetUpLink(
  tx: Transaction,
  user_id: string | null,
  { resets_factors = false }: { resets_factors?: boolean } = {},
): Promise<string> {
  const secret = newSecret()
  const life_s = user_id === null ? first_owner_life_s : user_life_s
  await forgetSetUpLinks(tx, user_id)
  await tx.run(sql`
    insert into set_up_links (digest, user_id, created_at, expires_at, resets_factors)
    values (${digestOfSecret(secret)}, ${user_id}, app_now(), app_now() + make_interval(secs => ${life_s}),
            ${resets_factors})`)
  return secret
}

/** Ends the links of a user that nobody used: one that was forgotten in a mailbox sets no password over a newer one. */
export async function forgetSetUpLinks(tx: Transaction, user_id: string | null): Promise<void> {
  await tx.run(sql`
    delete from set_up_links where used_at is null and user_id is not distinct from ${user_id}::uuid`)
}

/** The link that a secret belongs to, whatever its state; a malformed one is never asked for. */
export async function findSetUpLink(tx: Transaction, secret: string): Promise<SetUpLink | undefined> {
  const digest = digestOfSecret(secret)
  if (!digest) return undefined
  return tx.row<SetUpLink>(sql`
    select l.digest, l.user_id, u.email, u.name, l.resets_factors, l.used_at is not null as is_used, l.expires_at <= app_now() as is_expired
    from set_up_links l left join users u on u.id = l.user_id
    where l.digest = ${digest}`)
}

/** Uses a link up; false when it was used, has expired or was replaced meanwhile. */
export async function spendSetUpLink(tx: Transaction, { digest }: SetUpLink): Promise<boolean> {
  const rows = await tx.run(sql`
    update set_up_links set used_at = app_now()
    where digest = ${digest} and used_at is null and expires_at > app_now()`)
  return rows === 1
}

/** One first owner at a time: whoever waits here sees the account that the other made. */
export async function lockAccounts(tx: Transaction): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(7316413)`)
}

export async function anyAccount(tx: Transaction): Promise<boolean> {
  return (await tx.row(sql`select id from users limit 1`)) !== undefined
}

/** Every organization that a user is in, as a member or as a worker. */
function organizationsWith(tx: Transaction, user_id: string): Promise<{ organization_id: string }[]> {
  return tx.rows(sql`
    select organization_id from memberships where user_id = ${user_id} and status = 'active'
    union select organization_id from people where user_id = ${user_id} and deleted_at is null`)
}

/** The accounts of members who were closed with a person. */
export async function membersClosedWith(
  tx: Transaction,
  organization_id: string,
  person_id: string,
): Promise<string[]> {
  const rows = await tx.rows<{ user_id: string }>(sql`
    select user_id from memberships where organization_id = ${organization_id} and closed_by = ${person_id} order by user_id`)
  return rows.map(({ user_id }) => user_id)
}

interface AccountEvent {
  user: { id: string; name: string }
  /** Absent: the user. */
  actor?: Actor
  /** E.g. `users.sign_in`. */
  action: string
  /** The row that it is about, when it is not the account. */
  subject?: { kind: string; id: string }
  credential_id?: string | null
  request_id?: string
  address?: string
  surface?: string
}

/**
 * Tells of what happened to an account in the audit log of each organization that its person is in, in a transaction of the
 * role `lookup`. Somebody who is in none has no audit log either.
 */
export async function auditAccount(tx: Transaction, { user, ...event }: AccountEvent): Promise<void> {
  const { actor = { kind: 'user', id: user.id, name: user.name }, subject = { kind: 'users', id: user.id } } = event
  for (const { organization_id } of await organizationsWith(tx, user.id)) {
    recordAudit(tx, { ...event, organization_id, actor, subject })
  }
}
