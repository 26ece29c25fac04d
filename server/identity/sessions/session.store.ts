import type { Role } from '#core/caller.ts'
import { type Database, sql, type Transaction } from '#db/database.ts'

interface Place {
  organization_id: string
  organization_name: string
  is_sandbox: boolean
}

/** A person who is signed in, and where that person may act: as a member, and as a worker on its own rows. */
export interface Session {
  session_id: string
  user_id: string
  email: string
  name: string
  authenticated_at: string
  expires_at: string
  memberships: (Place & { role: Role })[]
  workers: (Place & { person_id: string })[]
}

export function resolveSession(
  database: Database,
  digest: Buffer,
): Promise<(Session & { seen_recently: boolean }) | undefined> {
  return database.row(sql`select * from resolve_session(${digest})`)
}

/** This and the next ones run in a transaction of the role `lookup`. */
export async function insertSession(
  tx: Transaction,
  session: { id: string; digest: Buffer; user_id: string; address: string | null; life_s: number },
): Promise<void> {
  await tx.run(sql`
    insert into sessions (id, digest, user_id, created_at, authenticated_at, last_seen_at, expires_at, address)
    values (${session.id}, ${session.digest}, ${session.user_id}, app_now(), app_now(), app_now(),
            app_now() + make_interval(secs => ${session.life_s}), ${session.address})`)
}

/** Keeps a session that is used from going idle. */
export async function noteSession(tx: Transaction, id: string): Promise<void> {
  await tx.run(sql`update sessions set last_seen_at = app_now() where id = ${id}`)
}

export async function deleteSession(tx: Transaction, digest: Buffer): Promise<void> {
  await tx.run(sql`delete from sessions where digest = ${digest}`)
}

export async function deleteSessionsOfUser(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`delete from sessions where user_id = ${user_id}`)
}

export async function deleteExpiredSessions(tx: Transaction, rows_max: number): Promise<void> {
  await tx.run(sql`
    delete from sessions where id in (
      select id from sessions where expires_at < app_now() order by expires_at limit ${rows_max} for update skip locked)`)
}
