import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { TokenAtRest } from '#identity/token-digest.ts'
import { type HeldGrant, heldGrantColumns } from '../grants/held-grant.ts'

interface RefreshTokenRow {
  digest: Buffer
  token_expires_at: string
  used_at: string | null
}

/** A refresh token with its grant, both locked: of parallel presentations the second waits and finds it used. */
export function lockRefreshToken(
  tx: Transaction,
  organization_id: string,
  digests: readonly Buffer[],
): Promise<(RefreshTokenRow & HeldGrant) | undefined> {
  return tx.row<RefreshTokenRow & HeldGrant>(sql`
    select r.digest, r.expires_at as token_expires_at, r.used_at, ${heldGrantColumns}
    from oauth_refresh_tokens r
    join oauth_grants g on g.organization_id = r.organization_id and g.id = r.grant_id
    where r.organization_id = ${organization_id} and r.digest = any (${digests}::bytea[])
    for no key update of r, g`)
}

export async function insertRefreshToken(
  tx: Transaction,
  token: Pick<TokenAtRest, 'digest' | 'pepper'> & { organization_id: string; grant_id: string; expires_at: string },
): Promise<void> {
  await tx.run(sql`
    insert into oauth_refresh_tokens (organization_id, digest, pepper, grant_id, issued_at, expires_at)
    values (${token.organization_id}, ${token.digest}, ${token.pepper}, ${token.grant_id}, app_now(),
      ${token.expires_at})`)
}

export async function markRefreshTokenUsed(
  tx: Transaction,
  { organization_id, digest, successor }: { organization_id: string; digest: Buffer; successor: Buffer },
): Promise<void> {
  await tx.run(sql`
    update oauth_refresh_tokens set used_at = app_now(), successor_digest = ${successor}
    where organization_id = ${organization_id} and digest = ${digest}`)
}
