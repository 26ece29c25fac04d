import type { Actor } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import { sql, type Transaction } from '#db/database.ts'
import type { Resource } from './addresses.ts'

/** One permission: what a client may do for a user, for a worker, or (with neither) for the organization. */
export interface GrantRow {
  id: string
  organization_id: string
  user_id: string | null
  person_id: string | null
  client_id: string
  client_name: string
  redirect_host: string | null
  resource: Resource
  scopes: string[]
  sensitive_data: string[]
  /** Redeemed with a signed assertion, so it is refreshed with one only; null until it is redeemed. */
  with_assertion: boolean | null
  created_at: string
  updated_at: string
  ends_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  revoked_reason: string | null
}

const grantColumns = sql`id, organization_id, user_id, person_id, client_id, client_name, redirect_host, resource, scopes,
  sensitive_data, with_assertion, created_at, updated_at, ends_at, last_used_at, revoked_at, revoked_by, revoked_reason`

type SetByDatabase =
  | 'with_assertion'
  | 'created_at'
  | 'updated_at'
  | 'last_used_at'
  | 'revoked_at'
  | 'revoked_by'
  | 'revoked_reason'

export type NewGrant = Omit<GrantRow, SetByDatabase>

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
    returning ${grantColumns}`)
  if (!row) throw new Error('the grant was not written')
  return row
}

export function findGrant(tx: Transaction, organization_id: string, id: string): Promise<GrantRow | undefined> {
  return tx.row<GrantRow>(sql`
    select ${grantColumns} from oauth_grants where organization_id = ${organization_id} and id = ${id}`)
}

/** The live grant under which a client acts for its organization at a resource. */
export function findStandingGrant(
  tx: Transaction,
  { organization_id, client_id, resource }: NewGrant,
): Promise<GrantRow | undefined> {
  return tx.row<GrantRow>(sql`
    select ${grantColumns} from oauth_grants
    where organization_id = ${organization_id} and client_id = ${client_id} and resource = ${resource}
      and user_id is null and person_id is null and revoked_at is null`)
}

/** Grants of an organization, or of one user alone. */
export function grantList(organization_id: string, user_id: string | null): ListQuery {
  const where = [sql`organization_id = ${organization_id}`, ...(user_id ? [sql`user_id = ${user_id}`] : [])]
  return { columns: grantColumns, from: sql`oauth_grants`, where }
}

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
export async function noteNeededScope(
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
