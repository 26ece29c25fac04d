import type { Actor, Caller } from '#core/caller.ts'
import { unauthenticated } from '#core/problems.ts'
import { insertInto, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { apiToken, type TokenRow } from './api-tokens/api-token.ts'
import { atRest, newToken } from './token-format.ts'

export type NewToken = Pick<TokenRow, 'id' | 'organization_id' | 'kind' | 'name' | 'created_by' | 'expires_at'> & {
  scopes: string[]
  sensitive_data: string[]
} & Partial<Pick<TokenRow, 'user_id' | 'person_id' | 'parent_token_id' | 'parent_grant_id' | 'root_id'>> & {
    /** Of an OAuth token: the client and grant it is issued under, whose root it has, and the one resource of that grant. */
    oauth?: { client_id: string; grant_id: string; resource: 'rest' | 'mcp' }
  }

export interface Parents {
  parent_token_id: string | null
  parent_grant_id: string | null
}

/** Names the token or grant that a new credential ends with: its maker's. A credential made in the console stays. */
export function parentsOf(caller: Caller): Parents {
  return {
    parent_token_id: caller.kind === 'console' || caller.grant_id ? null : caller.credential_id,
    parent_grant_id: caller.grant_id ?? null,
  }
}

/**
 * Keeps both from being ended until this transaction is over; throws `unauthenticated` where one was revoked. A token that
 * has a successor, which took over its children, is answered by that.
 */
export async function lockParents(tx: Transaction, organization_id: string, parents: Parents): Promise<Parents> {
  let { parent_token_id, parent_grant_id } = parents
  if (parent_token_id !== null) {
    const live = await tx.row<{ parent_id: string }>(sql`
      select coalesce(successor_id, id) as parent_id from access_tokens
      where organization_id = ${organization_id} and id = ${parent_token_id} and revoked_at is null for share`)
    if (!live) throw unauthenticated()
    parent_token_id = live.parent_id
  }
  if (parent_grant_id !== null) {
    const live = await tx.row(sql`
      select id from oauth_grants
      where organization_id = ${organization_id} and id = ${parent_grant_id} and revoked_at is null for share`)
    if (!live) throw unauthenticated()
  }
  return { parent_token_id, parent_grant_id }
}

/** Resources that a token opens, by its kind; an OAuth token opens the resource of its grant. */
const resourcesOfKind: Partial<Record<TokenRow['kind'], readonly string[]>> = {
  organization: ['rest'],
  personal: ['rest', 'mcp'],
  worker: ['rest'],
}

/**
 * Makes a credential and writes its digest; the value exists only in what this answers. A parent that was revoked since
 * the call began answers 401: what a token made ends with it, also what it is just making.
 */
export async function issueToken<Kind extends TokenRow['kind']>(
  tx: Transaction,
  given: NewToken & { kind: Kind; is_sandbox: boolean },
): Promise<{ row: TokenRow & { kind: Kind }; token: string }> {
  const { organization_id, parent_token_id = null, parent_grant_id = null } = given
  const parents = await lockParents(tx, organization_id, { parent_token_id, parent_grant_id })
  const { insertion, token } = newTokenRow({ ...given, ...parents })
  const row = await tx.row<TokenRow & { kind: Kind }>(sql`${insertion} returning ${apiToken.columns}`)
  if (!row) throw new Error('the token was not written')
  return { row, token }
}

/** A new credential and the statement that writes its digest, for whoever holds its parents locked, or its grant. */
export function newTokenRow(given: NewToken & { is_sandbox: boolean }): { insertion: Sql; token: string } {
  const { id, organization_id, kind, name, scopes, sensitive_data, created_by, expires_at, oauth } = given
  const { user_id = null, person_id = null, parent_token_id = null, parent_grant_id = null } = given
  const token = newToken(kind, given.is_sandbox)
  const insertion = insertInto('access_tokens', {
    ...{ id, organization_id, kind, ...atRest(token), name, scopes, sensitive_data, user_id, person_id },
    ...{ parent_token_id, parent_grant_id, root_id: rootOf(given), created_by: JSON.stringify(created_by) },
    ...{ client_id: oauth?.client_id ?? null, grant_id: oauth?.grant_id ?? null },
    resources: oauth ? [oauth.resource] : resourcesOfKind[kind],
    ...{ created_at: sql`app_now()`, updated_at: sql`app_now()`, expires_at },
  })
  return { insertion, token }
}

/** Asked of the maker's row, so that nobody has to pass it on; a successor without another parent keeps its own. */
function rootOf({ id, organization_id, parent_token_id, parent_grant_id, root_id }: NewToken): Sql {
  const [table, parent] = parent_token_id ? ['access_tokens', parent_token_id] : ['oauth_grants', parent_grant_id]
  // Grants are asked only where there is one: the operator, who makes first tokens, may not read them.
  if (!parent) return sql`${root_id ?? id}`
  return sql`(select root_id from ${raw(table)} where organization_id = ${organization_id} and id = ${parent})`
}

/**
 * True when a line of credentials begins with one that acts for a user: a personal token, or a user's grant to an app.
 */
export async function isOfUser(tx: Transaction, organization_id: string, root_id: string): Promise<boolean> {
  const row = await tx.row<{ is_of_user: boolean }>(sql`
    select exists (select from access_tokens where organization_id = ${organization_id} and id = ${root_id} and user_id is not null)
      or exists (select from oauth_grants where organization_id = ${organization_id} and id = ${root_id} and user_id is not null)
      as is_of_user`)
  return row?.is_of_user ?? false
}

/**
 * The users behind a caller: itself, or of a token without a user whoever made it, and the tokens, grants and clients that it
 * descends from. What a user's own app does is done by that user alone, whoever registered the app.
 */
export async function usersBehind(
  tx: Transaction,
  { organization_id, credential_id, user_id }: Caller,
): Promise<string[]> {
  if (user_id !== undefined) return [user_id]
  const row = await tx.row<{ user_ids: string[] }>(sql`
    with recursive makers as (
      select id, user_id, created_by, parent_token_id, parent_grant_id, grant_id from access_tokens
      where organization_id = ${organization_id} and id = ${credential_id}
      union
      select above.* from makers m cross join lateral (
        select t.id, t.user_id, t.created_by, t.parent_token_id, t.parent_grant_id, t.grant_id from access_tokens t
        where t.organization_id = ${organization_id} and t.id = m.parent_token_id
        union all
        select g.id, g.user_id, c.created_by, c.parent_token_id, c.parent_grant_id, null from oauth_grants g
        left join oauth_clients c on g.user_id is null and c.client_id = g.client_id
        where g.organization_id = ${organization_id} and g.id in (m.parent_grant_id, m.grant_id)) above)
    select array(
      select user_id::text from makers where user_id is not null
      union
      select created_by ->> 'id' from makers where created_by ->> 'kind' = 'user' and created_by ->> 'id' is not null) as user_ids`)
  return row?.user_ids ?? []
}

/** Narrows a list to the tokens of one user. */
export const ofUser = (user_id: string | null) => (user_id === null ? [] : [sql`access_tokens.user_id = ${user_id}`])

/** One organization or personal token, locked; not refused where there is none, since rights are looked at first. */
export async function lockToken(tx: Transaction, match: { organization_id: string; id: string }) {
  await tx.run(sql`
    select id from access_tokens where organization_id = ${match.organization_id} and id = ${match.id} for update`)
  return apiToken.find(tx, match)
}

/** True when a token of any kind can still be used. */
export async function tokenStands(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const live = await tx.row(sql`
    select id from access_tokens
    where organization_id = ${organization_id} and id = ${id} and revoked_at is null
      and (expires_at is null or expires_at > app_now())`)
  return live !== undefined
}

/** Ends the live worker tokens of one person: a person has one at a time. */
export function revokeWorkerTokens(
  tx: Transaction,
  organization_id: string,
  person_id: string,
  by: Actor,
): Promise<number> {
  return tx.run(sql`
    update access_tokens set revoked_at = app_now(), updated_at = app_now(), revoked_by = ${JSON.stringify(by)}
    where organization_id = ${organization_id} and person_id = ${person_id} and kind = 'worker' and revoked_at is null`)
}

/** Names the successor, which takes over the children, and sets the end of the old token. */
export async function replaceToken(
  tx: Transaction,
  old: TokenRow,
  successor_id: string,
  overlap_s: number,
): Promise<void> {
  const { organization_id, id } = old
  await tx.run(sql`
    update access_tokens
    set successor_id = ${successor_id}, updated_at = app_now(),
        expires_at = least(coalesce(expires_at, 'infinity'), app_now() + make_interval(secs => ${overlap_s}))
    where organization_id = ${organization_id} and id = ${id}`)
  await tx.run(sql`
    update access_tokens set parent_token_id = ${successor_id}
    where organization_id = ${organization_id} and parent_token_id = ${id}`)
  await tx.run(sql`
    update oauth_clients set parent_token_id = ${successor_id}
    where owner_organization_id = ${organization_id} and parent_token_id = ${id}`)
}

/** Organization and personal tokens that can be used: all, those that end within days, those nobody has used for days. */
export async function tokenFigures(
  tx: Transaction,
  organization_id: string,
  { expiring_days, unused_days }: { expiring_days: number; unused_days: number },
): Promise<{ live: number; expiring: number; unused: number }> {
  const row = await tx.row<{ live: number; expiring: number; unused: number }>(sql`
    select count(*)::int as live,
      count(*) filter (where expires_at <= app_now() + ${expiring_days} * interval '1 day')::int as expiring,
      count(*) filter (where coalesce(last_used_at, created_at) < app_now() - ${unused_days} * interval '1 day')::int as unused
    from access_tokens
    where organization_id = ${organization_id} and kind in ('organization', 'personal') and revoked_at is null
      and successor_id is null and (expires_at is null or expires_at > app_now())`)
  return row ?? { live: 0, expiring: 0, unused: 0 }
}
