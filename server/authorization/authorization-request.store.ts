import type { Scope } from '#core/caller.ts'
import { type Database, sql, type Transaction } from '#db/database.ts'
import type { Resource } from './addresses.ts'

const minutes_open = 10

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

export type NewRequest = Pick<
  RequestRow,
  'digest' | 'client_id' | 'redirect_uri' | 'state' | 'scopes' | 'resource' | 'code_challenge'
>

const columns = sql`digest, client_id, redirect_uri, state, scopes, resource, code_challenge, session_id, expires_at,
  decided_at`

export async function insertRequest(tx: Transaction, request: NewRequest): Promise<void> {
  await tx.run(sql`
    insert into oauth_requests (digest, client_id, redirect_uri, state, scopes, resource, code_challenge, created_at,
      expires_at)
    values (${request.digest}, ${request.client_id}, ${request.redirect_uri}, ${request.state}, ${request.scopes},
      ${request.resource}, ${request.code_challenge}, app_now(), app_now() + make_interval(mins => ${minutes_open}))`)
}

/** Binds a request to the first session that asks for it; undefined when it is unknown, over or another's. */
export function bindRequest(tx: Transaction, digest: Buffer, session_id: string): Promise<RequestRow | undefined> {
  return tx.row<RequestRow>(sql`
    update oauth_requests set session_id = ${session_id}
    where digest = ${digest} and expires_at > app_now() and (session_id is null or session_id = ${session_id})
    returning ${columns}`)
}

/** The request of a session, which bound it before. */
export function findRequest(tx: Transaction, digest: Buffer, session_id: string): Promise<RequestRow | undefined> {
  return tx.row<RequestRow>(sql`
    select ${columns} from oauth_requests
    where digest = ${digest} and expires_at > app_now() and session_id = ${session_id}`)
}

/** Marks the request of a session as decided, and answers it as it was before. */
export function decideRequest(tx: Transaction, digest: Buffer, session_id: string): Promise<RequestRow | undefined> {
  return tx.row<RequestRow>(sql`select ${columns} from decide_oauth_request(${digest}, ${session_id})`)
}

/** Organizations of these that blocked a client; asked before one of them is chosen. */
export async function organizationsBlocking(
  database: Database,
  client_id: string,
  organization_ids: string[],
): Promise<string[]> {
  const rows = await database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.rows<{ organization_id: string }>(sql`
      select organization_id from oauth_client_verdicts
      where organization_id = any (${organization_ids}) and client_id = ${client_id} and verdict = 'blocked'`),
  )
  return rows.map(({ organization_id }) => organization_id)
}

export interface EarlierConsent {
  organization_id: string
  person_id: string | null
  scopes: string[]
  /** Lacked for calls of the last hour. */
  needed_scopes: string[]
}

/** Reads the verdicts of a user's organizations on a client, and the grants that the user gave it before. */
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
