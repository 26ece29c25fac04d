import type { Scope } from '#core/caller.ts'
import { type Database, insertInto, sql, type Transaction } from '#db/database.ts'
import type { Resource } from './addresses.ts'
import type { GrantRow } from './grant.store.ts'

/** A request that waits for a user's decision, kept under the digest of its id. */
export interface RequestRow {
  digest: Buffer
  client_id: string
  redirect_uri: string
  state: string | null
  scopes: Scope[]
  resource: Resource
  code_challenge: string
  session_id: string | null
  expires_at: string
  decided_at: string | null
}

export type NewRequest = Omit<RequestRow, 'digest' | 'session_id' | 'expires_at' | 'decided_at'>

const columns = sql`digest, client_id, redirect_uri, state, scopes, resource, code_challenge, session_id, expires_at,
  decided_at`

export async function insertRequest(tx: Transaction, digest: Buffer, request: NewRequest): Promise<void> {
  const times = { created_at: sql`app_now()`, expires_at: sql`app_now() + interval '10 minutes'` }
  await tx.run(insertInto('oauth_requests', { digest, ...request, ...times }))
}

/** Binds a request to the first session that asks for it; undefined when it is unknown, over or another's. */
export function bindRequest(tx: Transaction, digest: Buffer, session_id: string): Promise<RequestRow | undefined> {
  return tx.row<RequestRow>(sql`
    update oauth_requests set session_id = ${session_id}
    where digest = ${digest} and expires_at > app_now() and (session_id is null or session_id = ${session_id})
    returning ${columns}`)
}

/** Marks the request of a session as decided, and answers it as it was before. */
export function decideRequest(tx: Transaction, digest: Buffer, session_id: string): Promise<RequestRow | undefined> {
  return tx.row<RequestRow>(sql`select ${columns} from decide_oauth_request(${digest}, ${session_id})`)
}

/** The decisions of these organizations on a client, by organization. */
export async function verdictsOn(
  tx: Transaction,
  client_id: string,
  organization_ids: readonly string[],
): Promise<Map<string, 'verified' | 'blocked'>> {
  const rows = await tx.rows<{ organization_id: string; verdict: 'verified' | 'blocked' }>(sql`
    select organization_id, verdict from oauth_client_verdicts
    where organization_id = any (${organization_ids}) and client_id = ${client_id}`)
  return new Map(rows.map(({ organization_id, verdict }) => [organization_id, verdict]))
}

/** True when each of these organizations, and at least one, blocked a client; asked before one of them is chosen. */
export async function isBlockedByAll(
  database: Database,
  client_id: string,
  places: readonly { organization_id: string }[],
): Promise<boolean> {
  if (places.length === 0) return false
  const ids = places.map(({ organization_id }) => organization_id)
  const verdicts = await database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    verdictsOn(tx, client_id, ids),
  )
  return ids.every((id) => verdicts.get(id) === 'blocked')
}

export type EarlierConsent = Pick<GrantRow, 'organization_id' | 'person_id' | 'scopes'> & {
  /** Lacked for calls of the last hour. */
  needed_scopes: string[]
}

/** The live grants that a user gave a client before. */
export function earlierConsents(
  tx: Transaction,
  { client_id, user_id, organization_ids }: { client_id: string; user_id: string; organization_ids: readonly string[] },
): Promise<EarlierConsent[]> {
  return tx.rows<EarlierConsent>(sql`
    select organization_id, person_id, scopes,
           case when needed_at > app_now() - interval '1 hour' then needed_scopes else '{}' end as needed_scopes
    from oauth_grants
    where organization_id = any (${organization_ids}) and user_id = ${user_id} and client_id = ${client_id}
      and revoked_at is null and (ends_at is null or ends_at > app_now())`)
}
