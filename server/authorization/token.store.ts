import type { Database, Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { TokenAtRest } from '#identity/token-format.ts'
import type { Resource } from './addresses.ts'
import { type HeldGrant, heldGrantColumns } from './grant.store.ts'

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
export function introspected(database: Database, { digests }: Presented): Promise<IntrospectedToken | undefined> {
  return database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.row<IntrospectedToken>(sql`
      select live.scopes, live.client_id, live.user_id, live.person_id, r.resource, t.expires_at, t.created_at
      from unnest(array['rest', 'mcp']) as r (resource)
      cross join lateral resolve_access_token(${digests}::bytea[], r.resource) live
      join access_tokens t on t.organization_id = live.organization_id and t.id = live.id
      limit 1`),
  )
}

/** A secret as it was presented, by the client that may end it. */
interface Presentation {
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

/** A presented secret: what it is looked up by, and whose it is. */
export interface Presented {
  organization_id: string
  digests: Buffer[]
}
