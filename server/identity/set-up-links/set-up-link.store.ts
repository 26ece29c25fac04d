import { sql, type Transaction } from '#db/database.ts'

export interface SetUpLinkRow {
  /** The user for whom it sets a password; null for the first owner, who does not exist yet. */
  user_id: string | null
  email: string | null
  name: string | null
  /** Holds its audit lines: the first organization of the user. */
  organization_id: string | null
  is_used: boolean
  is_expired: boolean
}

export function findLink(tx: Transaction, digest: Buffer): Promise<SetUpLinkRow | undefined> {
  return tx.row<SetUpLinkRow>(sql`
    select l.user_id, u.email, u.name, l.used_at is not null as is_used, l.expires_at <= app_now() as is_expired,
           (select m.organization_id from memberships m where m.user_id = l.user_id
            order by m.created_at, m.organization_id limit 1) as organization_id
    from set_up_links l left join users u on u.id = l.user_id
    where l.digest = ${digest}`)
}

/** Ends the links that were made before for the same purpose, and keeps the new one. */
export async function replaceLinks(
  tx: Transaction,
  link: { digest: Buffer; user_id: string | null; life_s: number },
): Promise<void> {
  await tx.run(sql`
    delete from set_up_links where used_at is null and user_id is not distinct from ${link.user_id}::uuid`)
  await tx.run(sql`
    insert into set_up_links (digest, user_id, created_at, expires_at)
    values (${link.digest}, ${link.user_id}, app_now(), app_now() + make_interval(secs => ${link.life_s}))`)
}

/** Uses a link up; false when it was used, has expired or was replaced meanwhile. */
export async function spendLink(tx: Transaction, digest: Buffer): Promise<boolean> {
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
