import type { Role } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'

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
    insert into memberships (organization_id, user_id, role, created_at)
    values (${organization_id}, ${user_id}, ${role}, app_now())
    on conflict (organization_id, user_id) do update set role = excluded.role`)
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

/** The role of a user in an organization, undefined for who is no member. */
export async function roleIn(tx: Transaction, organization_id: string, user_id: string): Promise<Role | undefined> {
  const row = await tx.row<{ role: Role }>(sql`
    select role from memberships where organization_id = ${organization_id} and user_id = ${user_id}`)
  return row?.role
}

/** Organizations of a user, the oldest membership first. */
export async function organizationsOf(tx: Transaction, user_id: string): Promise<string[]> {
  const rows = await tx.rows<{ organization_id: string }>(sql`
    select organization_id from memberships where user_id = ${user_id} order by created_at, organization_id`)
  return rows.map(({ organization_id }) => organization_id)
}
