import type { Database, Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface EarlierConsent {
  organization_id: string
  person_id: string | null
  scopes: string[]
  /** Lacked for calls of the last hour. */
  needed_scopes: string[]
}

/** What a user's organizations think of a client, and what the user granted it before. */
export async function historyOf(
  database: Database,
  { client_id, user_id, organization_ids }: { client_id: string; user_id: string; organization_ids: string[] },
): Promise<{ verdicts: Map<string, 'verified' | 'blocked'>; earlier: EarlierConsent[] }> {
  return database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    const verdicts = await tx.rows<{ organization_id: string; verdict: 'verified' | 'blocked' }>(sql`
      select organization_id, verdict from oauth_client_verdicts
      where organization_id = any (${organization_ids}) and client_id = ${client_id}`)
    const earlier = await tx.rows<EarlierConsent>(sql`
      select organization_id, person_id, scopes,
             case when needed_at > app_now() - interval '1 hour' then needed_scopes else '{}' end as needed_scopes
      from oauth_grants
      where organization_id = any (${organization_ids}) and user_id = ${user_id} and client_id = ${client_id}
        and revoked_at is null and (ends_at is null or ends_at > app_now())`)
    return { verdicts: new Map(verdicts.map(({ organization_id, verdict }) => [organization_id, verdict])), earlier }
  })
}

export async function isBlocked(tx: Transaction, organization_id: string, client_id: string): Promise<boolean> {
  const row = await tx.row(sql`
    select client_id from oauth_client_verdicts
    where organization_id = ${organization_id} and client_id = ${client_id} and verdict = 'blocked'`)
  return row !== undefined
}
