import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** A secret as it was presented, by the client that may end it. */
export interface Presentation {
  organization_id: string
  digests: readonly Buffer[]
  client_id: string
}

/** The grant of a client's refresh token, used or not: whoever holds one may end the connection. */
export async function grantOfRefreshToken(tx: Transaction, presented: Presentation): Promise<string | undefined> {
  const row = await tx.row<{ grant_id: string }>(sql`
    select g.id as grant_id from oauth_refresh_tokens r
    join oauth_grants g on g.organization_id = r.organization_id and g.id = r.grant_id
    where r.organization_id = ${presented.organization_id} and r.digest = any (${presented.digests}::bytea[])
      and g.client_id = ${presented.client_id}`)
  return row?.grant_id
}

/** Ends one access token; answers it, unless it is unknown, another client's or over already. */
export function endAccessToken(
  tx: Transaction,
  presented: Presentation & { name: string },
): Promise<{ id: string; grant_id: string } | undefined> {
  return tx.row(sql`
    update access_tokens
    set revoked_at = app_now(), updated_at = app_now(), revoked_reason = 'revoked_by_client',
        revoked_by = jsonb_build_object('kind', 'token', 'id', grant_id, 'name', ${presented.name}::text)
    where organization_id = ${presented.organization_id} and digest = any (${presented.digests}::bytea[])
      and client_id = ${presented.client_id} and revoked_at is null
    returning id, grant_id`)
}
