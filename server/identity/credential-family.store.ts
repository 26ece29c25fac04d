import type { Actor } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'
import { type TokenRow, tokenColumns } from './token.store.ts'

/** A credential that others were made with; exactly one of the three. */
export interface Member {
  token_id: string | null
  grant_id: string | null
  client_id: string | null
}

/** A permission given to a client, as events tell of it. */
export interface EndedGrant {
  id: string
  client_id: string
  client_name: string
  person_id: string | null
  scopes: string[]
  ends_at: string | null
}

/** The credential itself and all that it made, directly or not: tokens, clients, and the grants of those clients. */
export function findFamily(tx: Transaction, organization_id: string, start: Member): Promise<Member[]> {
  return tx.rows<Member>(sql`
    with recursive family (token_id, grant_id, client_id) as (
      select ${start.token_id}::uuid, ${start.grant_id}::uuid, ${start.client_id}::text
      union
      select child.token_id, child.grant_id, child.client_id
      from family f cross join lateral (
        select t.id as token_id, null::uuid as grant_id, null::text as client_id
        from access_tokens t where t.organization_id = ${organization_id} and t.parent_token_id = f.token_id
        union all
        select t.id, null, null
        from access_tokens t where t.organization_id = ${organization_id} and t.parent_grant_id = f.grant_id
        union all
        select null, null, c.client_id
        from oauth_clients c where c.owner_organization_id = ${organization_id} and c.parent_token_id = f.token_id
        union all
        select null, null, c.client_id
        from oauth_clients c where c.owner_organization_id = ${organization_id} and c.parent_grant_id = f.grant_id
        union all
        select null, g.id, null
        from oauth_grants g where g.organization_id = ${organization_id} and g.client_id = f.client_id
      ) child
    )
    select * from family`)
}

export interface Ending {
  organization_id: string
  by: Actor
  reason: string
}

export function endTokens(
  tx: Transaction,
  ids: string[],
  { organization_id, by, reason }: Ending,
): Promise<TokenRow[]> {
  return tx.rows<TokenRow>(sql`
    update access_tokens
    set revoked_at = app_now(), updated_at = app_now(), revoked_by = ${JSON.stringify(by)}, revoked_reason = ${reason}
    where organization_id = ${organization_id} and id = any (${ids}) and revoked_at is null
    returning ${tokenColumns}`)
}

export function endGrants(
  tx: Transaction,
  ids: string[],
  { organization_id, by, reason }: Ending,
): Promise<EndedGrant[]> {
  return tx.rows<EndedGrant>(sql`
    update oauth_grants
    set revoked_at = app_now(), updated_at = app_now(), revoked_by = ${JSON.stringify(by)}, revoked_reason = ${reason}
    where organization_id = ${organization_id} and id = any (${ids}) and revoked_at is null
    returning id, client_id, client_name, person_id, scopes, ends_at`)
}

/** Clients that the organization made; those of others are not its to end. */
export function endClients(tx: Transaction, ids: string[], { organization_id }: Ending): Promise<number> {
  return tx.run(sql`
    update oauth_clients set expires_at = app_now(), updated_at = app_now()
    where owner_organization_id = ${organization_id} and client_id = any (${ids})
      and (expires_at is null or expires_at > app_now())`)
}

/** Live grants and personal tokens of one user: what ends when the user leaves or is disabled. */
export function credentialsOfUser(tx: Transaction, organization_id: string, user_id: string): Promise<Member[]> {
  return tx.rows<Member>(sql`
    select id as token_id, null::uuid as grant_id, null::text as client_id from access_tokens
    where organization_id = ${organization_id} and user_id = ${user_id} and kind = 'personal' and revoked_at is null
    union all
    select null, id, null from oauth_grants
    where organization_id = ${organization_id} and user_id = ${user_id} and revoked_at is null`)
}
