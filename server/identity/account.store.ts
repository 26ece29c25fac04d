import type { Role } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface UserRow {
  id: string
  email: string
  name: string
  password_hash: string | null
}

export function findUserByEmail(tx: Transaction, email: string): Promise<UserRow | undefined> {
  return tx.row<UserRow>(sql`select id, email, name, password_hash from users where lower(email) = lower(${email})`)
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
