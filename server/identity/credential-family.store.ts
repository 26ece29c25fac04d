import type { Actor } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'
import { apiToken, type TokenRow } from './api-tokens/api-token.ts'

/**
 * A credential that others were made with, exactly one; or a person and the user behind it, with all that these hold in
 * an organization.
 */
export interface Start {
  token_id?: string
  grant_id?: string
  client_id?: string
  person_id?: string
  user_id?: string | null
}

/** A permission given to a client, as events tell of it. */
interface EndedGrant {
  id: string
  client_id: string
  client_name: string
  person_id: string | null
  scopes: string[]
  ends_at: string | null
}

export interface Ending {
  organization_id: string
  by: Actor
  reason: string
}

interface Member {
  token_id: string | null
  grant_id: string | null
  client_id: string | null
}

/** The credential itself and all that it made, directly or not: tokens, clients, and the grants of those clients. */
function findFamily(tx: Transaction, organization_id: string, start: Start): Promise<Member[]> {
  const { token_id = null, grant_id = null, client_id = null, person_id = null, user_id = null } = start
  return tx.rows<Member>(sql`
    with recursive family (token_id, grant_id, client_id) as (
      select ${token_id}::uuid, ${grant_id}::uuid, ${client_id}::text
      union all
      select id, null, null from access_tokens
      where organization_id = ${organization_id} and user_id = ${user_id} and kind = 'personal' and revoked_at is null
      union all
      select null, id, null from oauth_grants
      where organization_id = ${organization_id} and user_id = ${user_id} and revoked_at is null
      union all
      select id, null, null from access_tokens
      where organization_id = ${organization_id} and person_id = ${person_id} and kind = 'worker' and revoked_at is null
      union all
      select null, id, null from oauth_grants
      where organization_id = ${organization_id} and person_id = ${person_id} and revoked_at is null
      union
      select child.token_id, child.grant_id, child.client_id
      from family f cross join lateral (
        select t.id as token_id, null::uuid as grant_id, null::text as client_id from access_tokens t
        where t.organization_id = ${organization_id}
          and (t.parent_token_id = f.token_id or t.parent_grant_id = f.grant_id)
        union all
        select null, null, c.client_id from oauth_clients c
        where c.owner_organization_id = ${organization_id}
          and (c.parent_token_id = f.token_id or c.parent_grant_id = f.grant_id)
        union all
        select null, g.id, null
        from oauth_grants g where g.organization_id = ${organization_id} and g.client_id = f.client_id
      ) child
    )
    select * from family`)
}

/** Ends those of a family that are there; of clients those that the organization made, others are not its to end. */
export async function endFamily(tx: Transaction, start: Start, { organization_id, by, reason }: Ending) {
  const family = await findFamily(tx, organization_id, start)
  // In one order, so that two endings that meet do not wait for each other.
  const ids = (kind: keyof Member) => family.flatMap((member) => member[kind] ?? []).sort()
  const ended = sql`revoked_at = app_now(), updated_at = app_now(), revoked_by = ${JSON.stringify(by)},
    revoked_reason = ${reason}`
  const [tokens, grants, clients] = await Promise.all([
    tx.rows<TokenRow>(sql`
      update access_tokens set ${ended}
      where organization_id = ${organization_id} and id = any (${ids('token_id')}) and revoked_at is null
      returning ${apiToken.columns}`),
    tx.rows<EndedGrant>(sql`
      update oauth_grants set ${ended}
      where organization_id = ${organization_id} and id = any (${ids('grant_id')}) and revoked_at is null
      returning id, client_id, client_name, person_id, scopes, ends_at`),
    tx.run(sql`
      update oauth_clients set expires_at = app_now(), updated_at = app_now()
      where owner_organization_id = ${organization_id} and client_id = any (${ids('client_id')})
        and (expires_at is null or expires_at > app_now())`),
  ])
  return { tokens, grants, clients }
}
