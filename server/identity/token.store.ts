import type { Actor } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import type { TokenAtRest } from './token-format.ts'

export interface TokenRow {
  id: string
  organization_id: string
  kind: 'organization' | 'personal' | 'worker' | 'oauth'
  name: string
  prefix: string
  last4: string
  scopes: string[]
  sensitive_data: string[]
  user_id: string | null
  person_id: string | null
  parent_token_id: string | null
  parent_grant_id: string | null
  /** The first of the line that made it, with which it is counted; its own id where there is none. */
  root_id: string
  created_by: Actor
  created_at: string
  updated_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_address: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  successor_id: string | null
}

export const tokenColumns = sql`id, organization_id, kind, name, prefix, last4, scopes, sensitive_data, user_id, person_id,
  parent_token_id, parent_grant_id, root_id, created_by, created_at, updated_at, expires_at, last_used_at, last_used_address,
  revoked_at, revoked_by, successor_id`

export type NewToken = Pick<
  TokenRow,
  'id' | 'organization_id' | 'kind' | 'name' | 'scopes' | 'sensitive_data' | 'created_by' | 'expires_at'
> &
  Partial<Pick<TokenRow, 'user_id' | 'person_id' | 'parent_token_id' | 'parent_grant_id' | 'root_id'>> & {
    /** Of an OAuth token: the client and grant it is issued under, and the one resource of that grant. */
    oauth?: { client_id: string; grant_id: string; resource: 'rest' | 'mcp' }
  }

/** Resources that a token opens, by its kind; an OAuth token opens the resource of its grant. */
const resourcesOfKind = { organization: ['rest'], personal: ['rest', 'mcp'], worker: ['rest'] }

export async function insertToken(tx: Transaction, token: NewToken, secret: TokenAtRest): Promise<TokenRow> {
  const { oauth, kind } = token
  const resources = kind === 'oauth' ? [oauth?.resource] : resourcesOfKind[kind]
  const row = await tx.row<TokenRow>(sql`
    insert into access_tokens (id, organization_id, kind, digest, prefix, last4, name, scopes, sensitive_data,
      user_id, person_id, parent_token_id, parent_grant_id, root_id, client_id, grant_id, resources, created_by, created_at,
      updated_at, expires_at)
    values (${token.id}, ${token.organization_id}, ${kind}, ${secret.digest}, ${secret.prefix},
      ${secret.last4}, ${token.name}, ${token.scopes}, ${token.sensitive_data}, ${token.user_id ?? null},
      ${token.person_id ?? null}, ${token.parent_token_id ?? null}, ${token.parent_grant_id ?? null},
      ${rootOf(token)},
      ${oauth?.client_id ?? null}, ${oauth?.grant_id ?? null}, ${resources}, ${JSON.stringify(token.created_by)},
      app_now(), app_now(), ${token.expires_at})
    returning ${tokenColumns}`)
  if (!row) throw new Error('the token was not written')
  return row
}

/** Asked of the maker's row, so that nobody has to pass it on; a successor without another parent keeps its own. */
function rootOf({ id, organization_id, parent_token_id, parent_grant_id, root_id, oauth }: NewToken): Sql {
  const grant_id = oauth?.grant_id ?? parent_grant_id
  // Grants are asked only where there is one: the operator, who makes first tokens, may not read them.
  const ofGrant = grant_id
    ? sql`(select root_id from oauth_grants where organization_id = ${organization_id} and id = ${grant_id})`
    : sql`null`
  return sql`coalesce(
    (select root_id from access_tokens where organization_id = ${organization_id} and id = ${parent_token_id ?? null}),
    ${ofGrant}, ${root_id ?? id})`
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

export interface TokenFilter {
  types?: string[] | undefined
  expiring_before?: string | undefined
  unused_since?: string | undefined
  /** Of one user alone. */
  user_id?: string | null
}

export function tokenList(organization_id: string, filter: TokenFilter): ListQuery {
  const { types, expiring_before, unused_since, user_id } = filter
  const where: Sql[] = [sql`organization_id = ${organization_id}`, sql`kind in ('organization', 'personal')`]
  if (user_id) where.push(sql`user_id = ${user_id}`)
  if (types) where.push(sql`kind = any (${types})`)
  if (expiring_before) where.push(sql`expires_at < ${expiring_before} and revoked_at is null`)
  if (unused_since) where.push(sql`coalesce(last_used_at, created_at) < ${unused_since} and revoked_at is null`)
  return { columns: tokenColumns, from: sql`access_tokens`, where }
}

/** One organization or personal token, locked for the rest of the transaction when it is about to change. */
export function findToken(
  tx: Transaction,
  organization_id: string,
  id: string,
  lock = false,
): Promise<TokenRow | undefined> {
  return tx.row<TokenRow>(sql`
    select ${tokenColumns} from access_tokens
    where organization_id = ${organization_id} and id = ${id} and kind in ('organization', 'personal')
    ${lock ? sql`for update` : sql``}`)
}

/** True when a token of any kind can still be used. */
export async function tokenStands(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const live = await tx.row(sql`
    select id from access_tokens
    where organization_id = ${organization_id} and id = ${id} and revoked_at is null
      and (expires_at is null or expires_at > app_now())`)
  return live !== undefined
}

/**
 * Keeps a token from being ended until this transaction is over, and answers who is the parent of what it makes: itself
 * or its successor, which took over its children. Undefined when it was revoked.
 */
export async function lockParent(tx: Transaction, organization_id: string, id: string): Promise<string | undefined> {
  const live = await tx.row<{ parent_id: string }>(sql`
    select coalesce(successor_id, id) as parent_id from access_tokens
    where organization_id = ${organization_id} and id = ${id} and revoked_at is null for share`)
  return live?.parent_id
}

/** The same for a grant of the authorization server; false when it was revoked. */
export async function lockParentGrant(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const live = await tx.row(sql`
    select id from oauth_grants
    where organization_id = ${organization_id} and id = ${id} and revoked_at is null for share`)
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
