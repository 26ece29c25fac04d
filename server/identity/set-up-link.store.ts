import type { Transaction } from '#db/database.ts'
import { sql } from '#db/database.ts'
import { digestOfSecret, newSecret } from './token-format.ts'

/** The link of the first owner lies in a file that the operator opens at once; the other is handed to somebody else. */
const first_owner_life_s = 30 * 60
const user_life_s = 24 * 3_600

export interface SetUpLink {
  digest: Buffer
  /** The user for whom it sets a password; null for the first owner, who does not exist yet. */
  user_id: string | null
  email: string | null
  name: string | null
  /** Holds its audit lines: the first organization of the user. */
  organization_id: string | null
  is_used: boolean
  is_expired: boolean
}

/**
 * Makes a one-time link: for the first owner (without a user), or for a user to choose a password; ends those made before
 * for the same purpose. The secret is in what this answers only, and travels behind the `#` of an address, which no browser
 * sends to any server.
 */
export async function createSetUpLink(tx: Transaction, user_id: string | null): Promise<string> {
  const secret = newSecret()
  const life_s = user_id === null ? first_owner_life_s : user_life_s
  await tx.run(sql`
    delete from set_up_links where used_at is null and user_id is not distinct from ${user_id}::uuid`)
  await tx.run(sql`
    insert into set_up_links (digest, user_id, created_at, expires_at)
    values (${digestOfSecret(secret)}, ${user_id}, app_now(), app_now() + make_interval(secs => ${life_s}))`)
  return secret
}

/** The link that a secret belongs to, whatever its state; a malformed one is never asked for. */
export async function findSetUpLink(tx: Transaction, secret: string): Promise<SetUpLink | undefined> {
  const digest = digestOfSecret(secret)
  if (!digest) return undefined
  return tx.row<SetUpLink>(sql`
    select l.digest, l.user_id, u.email, u.name, l.used_at is not null as is_used, l.expires_at <= app_now() as is_expired,
           (select m.organization_id from memberships m where m.user_id = l.user_id
            order by m.created_at, m.organization_id limit 1) as organization_id
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
