import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { TokenAtRest } from '#identity/token-digest.ts'

export async function insertSecret(tx: Transaction, client_id: string, secret: TokenAtRest): Promise<void> {
  await tx.run(sql`
    insert into oauth_client_secrets (digest, client_id, pepper, prefix, last4, created_at)
    values (${secret.digest}, ${client_id}, ${secret.pepper}, ${secret.prefix}, ${secret.last4}, app_now())`)
}

export function findSecret(
  tx: Transaction,
  client_id: string,
  digests: readonly Buffer[],
): Promise<{ digest: Buffer } | undefined> {
  return tx.row<{ digest: Buffer }>(sql`
    select digest from oauth_client_secrets
    where digest = any (${digests}::bytea[]) and client_id = ${client_id}
      and (retires_at is null or retires_at > app_now())`)
}

export async function renewSecret(tx: Transaction, from: Buffer, to: TokenAtRest): Promise<void> {
  await tx.run(sql`update oauth_client_secrets set digest = ${to.digest}, pepper = ${to.pepper} where digest = ${from}`)
}

/** Ends the secrets of a client after an overlap; those that end sooner stay as they are. */
export async function retireSecrets(tx: Transaction, client_id: string, overlap_s: number): Promise<void> {
  await tx.run(sql`
    update oauth_client_secrets
    set retires_at = least(coalesce(retires_at, 'infinity'), app_now() + make_interval(secs => ${overlap_s}))
    where client_id = ${client_id}`)
}
