import type { Database, Transaction } from '#db/database.ts'
import { type Sql, sql } from '#db/database.ts'
import { digestOf, type TokenKind, tokenKindOf } from '#identity/token-format.ts'
import type { Resource } from './addresses.ts'
import { type GrantRow, oauthGrant } from './grant.ts'

/** An authorization code lives no longer than the browser needs to bring it to the client (RFC 6749 §4.1.2). */
const code_valid_s = 60

/** A secret that somebody presents: the digest it is looked up by, and the organization that it is of. */
export interface Presented {
  organization_id: string
  digest: Buffer
  kind: TokenKind
}

/** Finds the organization of a secret of one of these kinds; undefined for what is malformed, of another kind or unknown. */
export async function findPresented(
  database: Database,
  secret: string,
  kinds: readonly TokenKind[],
): Promise<Presented | undefined> {
  const kind = tokenKindOf(secret)
  if (!kind || !kinds.includes(kind)) return undefined
  const digest = digestOf(secret)
  const row = await database.row<{ organization_id: string | null }>(
    sql`select oauth_secret_organization(${kind}, ${[digest]}::bytea[]) as organization_id`,
  )
  return row?.organization_id ? { organization_id: row.organization_id, digest, kind } : undefined
}

/** A code or refresh token with the grant it belongs to. */
export type HeldSecret = Omit<GrantRow, 'id' | 'redirect_host' | 'created_at' | 'updated_at' | 'last_used_at'> & {
  grant_id: string
  digest: Buffer
  is_expired: boolean
  /** Milliseconds since its use, by the database's clock; null when it was not used. */
  used_ms_ago: number | null
  /** False when grant, user or worker ended. */
  grant_is_live: boolean
}

const heldColumns = sql`s.digest, s.expires_at <= app_now() as is_expired,
  (extract(epoch from app_now() - s.used_at) * 1000)::float8 as used_ms_ago,
  g.organization_id, g.id as grant_id, g.user_id, g.person_id, g.client_id, g.client_name, g.resource, g.scopes,
  g.sensitive_data, g.with_assertion, g.ends_at, g.revoked_at,
  grant_holder_is_live(g.organization_id, g.user_id, g.person_id) and g.revoked_at is null
    and (g.ends_at is null or g.ends_at > app_now()) as grant_is_live`

/** Locks the secret and its grant: of parallel presentations the second waits and finds it used. */
const ofGrant = ({ organization_id, digest }: Presented): Sql => sql`
  join oauth_grants g on g.organization_id = s.organization_id and g.id = s.grant_id
  where s.organization_id = ${organization_id} and s.digest = ${digest}
  for no key update of s, g`

export type HeldCode = HeldSecret & { redirect_uri: string; code_challenge: string }

export function lockCode(tx: Transaction, presented: Presented): Promise<HeldCode | undefined> {
  return tx.row(sql`select s.redirect_uri, s.code_challenge, ${heldColumns} from oauth_codes s ${ofGrant(presented)}`)
}

export function lockRefreshToken(tx: Transaction, presented: Presented): Promise<HeldSecret | undefined> {
  return tx.row(sql`select ${heldColumns} from oauth_refresh_tokens s ${ofGrant(presented)}`)
}

export async function insertCode(
  tx: Transaction,
  code: Record<'organization_id' | 'grant_id' | 'client_id' | 'redirect_uri' | 'code_challenge', string> & {
    digest: Buffer
  },
): Promise<void> {
  await tx.run(sql`
    insert into oauth_codes (organization_id, digest, grant_id, client_id, redirect_uri, code_challenge, created_at,
      expires_at)
    values (${code.organization_id}, ${code.digest}, ${code.grant_id}, ${code.client_id}, ${code.redirect_uri},
      ${code.code_challenge}, app_now(), app_now() + make_interval(secs => ${code_valid_s}))`)
}

export async function insertRefreshToken(
  tx: Transaction,
  token: { organization_id: string; grant_id: string; digest: Buffer; expires_at: string },
): Promise<void> {
  await tx.run(sql`
    insert into oauth_refresh_tokens (organization_id, digest, grant_id, issued_at, expires_at)
    values (${token.organization_id}, ${token.digest}, ${token.grant_id}, app_now(), ${token.expires_at})`)
}

export async function markCodeUsed(tx: Transaction, { organization_id, digest }: HeldCode): Promise<void> {
  await tx.run(sql`
    update oauth_codes set used_at = app_now() where organization_id = ${organization_id} and digest = ${digest}`)
}

export async function markRefreshTokenUsed(
  tx: Transaction,
  { organization_id, digest }: HeldSecret,
  successor: Buffer,
): Promise<void> {
  await tx.run(sql`
    update oauth_refresh_tokens set used_at = app_now(), successor_digest = ${successor}
    where organization_id = ${organization_id} and digest = ${digest}`)
}

export interface IntrospectedToken {
  scopes: string[]
  client_id: string
  user_id: string | null
  person_id: string | null
  resource: Resource
  expires_at: string
  created_at: string
}

/** A token that a request could use at this moment, judged by the same statement as a request is; else undefined. */
export function introspected(database: Database, { digest }: Presented): Promise<IntrospectedToken | undefined> {
  return database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.row<IntrospectedToken>(sql`
      select live.scopes, live.client_id, live.user_id, live.person_id, r.resource, t.expires_at, t.created_at
      from unnest(array['rest', 'mcp']) as r (resource)
      cross join lateral resolve_access_token(${[digest]}::bytea[], r.resource) live
      join access_tokens t on t.organization_id = live.organization_id and t.id = live.id
      limit 1`),
  )
}

/** The grant of a client's refresh token, used or not: whoever holds one may end the connection. */
export async function grantOfRefreshToken(
  tx: Transaction,
  { organization_id, digest }: Presented,
  client_id: string,
): Promise<string | undefined> {
  const row = await tx.row<{ grant_id: string }>(sql`
    select g.id as grant_id from oauth_refresh_tokens r
    join oauth_grants g on g.organization_id = r.organization_id and g.id = r.grant_id
    where r.organization_id = ${organization_id} and r.digest = ${digest} and g.client_id = ${client_id}`)
  return row?.grant_id
}

/** Ends one access token; answers it, unless it is unknown, another client's or over already. */
export function endAccessToken(
  tx: Transaction,
  { organization_id, digest }: Presented,
  { client_id, name }: { client_id: string; name: string },
): Promise<{ id: string; grant_id: string } | undefined> {
  return tx.row(sql`
    update access_tokens
    set revoked_at = app_now(), updated_at = app_now(), revoked_reason = 'revoked_by_client',
        revoked_by = jsonb_build_object('kind', 'token', 'id', grant_id, 'name', ${name}::text)
    where organization_id = ${organization_id} and digest = ${digest} and client_id = ${client_id}
      and revoked_at is null
    returning id, grant_id`)
}

type SetByDatabase =
  | 'with_assertion'
  | 'created_at'
  | 'updated_at'
  | 'last_used_at'
  | 'revoked_at'
  | 'revoked_by'
  | 'revoked_reason'

export type NewGrant = Omit<GrantRow, SetByDatabase | 'scopes' | 'sensitive_data'> & {
  scopes: string[]
  sensitive_data: string[]
}

/**
 * Writes a grant. A client that acts for its organization has one at each resource, which is brought to what the client
 * has now; it counts as used at once, and is counted with the credential that made the client.
 */
export async function writeGrant(tx: Transaction, grant: NewGrant): Promise<GrantRow> {
  const isStanding = grant.user_id === null && grant.person_id === null
  const root_id = sql`coalesce((
    select coalesce(t.root_id, g.root_id) from oauth_clients c
    left join access_tokens t on t.organization_id = c.owner_organization_id and t.id = c.parent_token_id
    left join oauth_grants g on g.organization_id = c.owner_organization_id and g.id = c.parent_grant_id
    where c.owner_organization_id = ${grant.organization_id} and c.client_id = ${grant.client_id}), ${grant.id})`
  const row = await tx.row<GrantRow>(sql`
    insert into oauth_grants (organization_id, id, user_id, person_id, client_id, client_name, redirect_host, resource,
      scopes, sensitive_data, root_id, created_at, updated_at, last_used_at, ends_at)
    values (${grant.organization_id}, ${grant.id}, ${grant.user_id}, ${grant.person_id}, ${grant.client_id},
      ${grant.client_name}, ${grant.redirect_host}, ${grant.resource}, ${grant.scopes}, ${grant.sensitive_data},
      ${isStanding ? root_id : grant.id}, app_now(), app_now(), ${isStanding ? sql`app_now()` : null}, ${grant.ends_at})
    on conflict (organization_id, client_id, resource)
      where user_id is null and person_id is null and revoked_at is null
    do update set root_id = excluded.root_id, client_name = excluded.client_name, scopes = excluded.scopes,
      sensitive_data = excluded.sensitive_data, ends_at = excluded.ends_at, updated_at = app_now(),
      last_used_at = app_now()
    returning ${oauthGrant.columns}`)
  if (!row) throw new Error('the grant was not written')
  return row
}

/** The live grant under which a client acts for its organization at a resource. */
export function findStandingGrant(
  tx: Transaction,
  { organization_id, client_id, resource }: NewGrant,
): Promise<GrantRow | undefined> {
  return tx.row<GrantRow>(sql`
    select ${oauthGrant.columns} from oauth_grants
    where organization_id = ${organization_id} and client_id = ${client_id} and resource = ${resource}
      and user_id is null and person_id is null and revoked_at is null`)
}

/** Narrows a list to the grants of one user. */
export const ofUser = (user_id: string | null) => (user_id === null ? [] : [sql`oauth_grants.user_id = ${user_id}`])

/** Writes that tokens were issued under a grant, and how its client proved itself when it first fetched them. */
export async function noteIssue(
  tx: Transaction,
  { organization_id, grant_id }: { organization_id: string; grant_id: string },
  with_assertion: boolean,
): Promise<void> {
  await tx.run(sql`
    update oauth_grants
    set last_used_at = app_now(), updated_at = app_now(), with_assertion = coalesce(with_assertion, ${with_assertion})
    where organization_id = ${organization_id} and id = ${grant_id}`)
}

export async function isSandbox(tx: Transaction, organization_id: string): Promise<boolean> {
  const row = await tx.row<{ is_sandbox: boolean }>(sql`
    select is_sandbox from organizations where id = ${organization_id}`)
  return row?.is_sandbox ?? false
}

/** Adds a scope to what a client lacked under a grant; what it lacked over an hour ago is forgotten by that. */
export async function addNeededScope(
  tx: Transaction,
  { organization_id, grant_id, scope }: { organization_id: string; grant_id: string; scope: string },
): Promise<void> {
  await tx.run(sql`
    update oauth_grants set needed_at = app_now(),
      needed_scopes = case when needed_at > app_now() - interval '1 hour'
        then array(select distinct unnest(needed_scopes || ${[scope]}::text[])) else ${[scope]}::text[] end
    where organization_id = ${organization_id} and id = ${grant_id}
      and not coalesce(needed_at > app_now() - interval '1 minute' and needed_scopes @> ${[scope]}::text[], false)`)
}
