import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { TokenAtRest } from '#identity/token-digest.ts'
import { type HeldGrant, heldGrantColumns } from '../grants/held-grant.ts'

/** An authorization code lives no longer than the browser needs to bring it to the client (RFC 6749 §4.1.2). */
const seconds_valid = 60

interface CodeRow {
  digest: Buffer
  redirect_uri: string
  code_challenge: string
  code_expires_at: string
  used_at: string | null
}

export async function insertCode(
  tx: Transaction,
  code: Pick<TokenAtRest, 'digest' | 'pepper'> & {
    organization_id: string
    grant_id: string
    client_id: string
    redirect_uri: string
    code_challenge: string
  },
): Promise<void> {
  await tx.run(sql`
    insert into oauth_codes (organization_id, digest, pepper, grant_id, client_id, redirect_uri, code_challenge,
      created_at, expires_at)
    values (${code.organization_id}, ${code.digest}, ${code.pepper}, ${code.grant_id}, ${code.client_id},
      ${code.redirect_uri}, ${code.code_challenge}, app_now(), app_now() + make_interval(secs => ${seconds_valid}))`)
}

/** A code with its grant, both locked: of parallel presentations the second waits and finds it used. */
export function lockCode(
  tx: Transaction,
  organization_id: string,
  digests: readonly Buffer[],
): Promise<(CodeRow & HeldGrant) | undefined> {
  return tx.row<CodeRow & HeldGrant>(sql`
    select c.digest, c.redirect_uri, c.code_challenge, c.expires_at as code_expires_at, c.used_at, ${heldGrantColumns}
    from oauth_codes c
    join oauth_grants g on g.organization_id = c.organization_id and g.id = c.grant_id
    where c.organization_id = ${organization_id} and c.digest = any (${digests}::bytea[])
    for no key update of c, g`)
}

export async function markCodeUsed(tx: Transaction, organization_id: string, digest: Buffer): Promise<void> {
  await tx.run(sql`
    update oauth_codes set used_at = app_now() where organization_id = ${organization_id} and digest = ${digest}`)
}
