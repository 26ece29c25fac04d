import type { Runtime } from '#core/runtime.ts'
import { sql } from '#db/sql.ts'
import { digestsOf } from '#identity/token-digest.ts'
import { type TokenKind, tokenKindOf } from '#identity/token-format.ts'

/** A presented secret: what it is looked up by, and whose it is. */
export interface Presented {
  organization_id: string
  digests: Buffer[]
}

/** Finds the organization of a secret of one of these kinds; undefined for what is malformed, of another kind or unknown. */
export async function organizationOf(
  { database, secrets }: Pick<Runtime, 'database' | 'secrets'>,
  secret: string,
  kinds: readonly TokenKind[],
): Promise<(Presented & { kind: TokenKind }) | undefined> {
  const kind = tokenKindOf(secret)
  if (!kind || !kinds.includes(kind)) return undefined
  const digests = digestsOf(secrets, secret)
  const row = await database.row<{ organization_id: string | null }>(
    sql`select oauth_secret_organization(${kind}, ${digests}::bytea[]) as organization_id`,
  )
  return row?.organization_id ? { organization_id: row.organization_id, digests, kind } : undefined
}
