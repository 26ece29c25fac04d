import { defineResource, type RowFrom } from '#core/resource.ts'
import { ActorSchema, Id, Timestamp, Type } from '#core/schema/schema.ts'
import { type Database, insertInto, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { ScopeList, SensitiveList } from '#identity/api-tokens/api-token.ts'
import { digestOf, type TokenKind, tokenKindOf } from '#identity/token-format.ts'

/** A secret that somebody presents, by the digest it is looked up by. */
export interface Presented<Kind extends TokenKind = TokenKind> {
  digest: Buffer
  kind: Kind
}

/** A secret of one of these kinds as it was presented; undefined for what is malformed or of another kind. */
export function presentedAs<Kind extends TokenKind>(
  secret: string,
  kinds: readonly Kind[],
): Presented<Kind> | undefined {
  const told = tokenKindOf(secret)
  const kind = kinds.find((one) => one === told)
  return kind && { digest: digestOf(secret), kind }
}

/**
 * Opens the organization of a secret to its transaction, which begins without any; of an unknown secret none. The statements
 * behind it travel with it and name `current_organization()`.
 */
function enterOrganizationOf(tx: Transaction, { kind, digest }: Presented): void {
  tx.send(sql`select enter_organization_of_secret(${kind}, ${digest})`)
}

/** Kinds of secret that are exchanged once, and where they are kept. */
const tables = { code: raw('oauth_codes'), refresh: raw('oauth_refresh_tokens') }
export type ExchangedKind = keyof typeof tables

/** A code or refresh token with its grant. */
export type HeldSecret = GrantRow & {
  /** Of a code; empty for a refresh token. */
  redirect_uri: string
  code_challenge: string
  is_expired: boolean
  /** Milliseconds since its use, by the database's clock; null when it was not used. */
  used_ms_ago: number | null
  /** False when grant, user or worker ended. */
  grant_is_live: boolean
}

/** Locks the secret and its grant: of parallel presentations the second waits and finds it used. */
export function lockSecret(tx: Transaction, presented: Presented<ExchangedKind>): Promise<HeldSecret | undefined> {
  const { kind, digest } = presented
  enterOrganizationOf(tx, presented)
  const of_code =
    kind === 'code' ? raw('s.redirect_uri, s.code_challenge') : raw(`'' as redirect_uri, '' as code_challenge`)
  return tx.row(sql`
    select ${oauthGrant.columns}, ${of_code}, s.expires_at <= app_now() as is_expired,
      (extract(epoch from app_now() - s.used_at) * 1000)::float8 as used_ms_ago,
      grant_holder_is_live(oauth_grants.organization_id, user_id, person_id) and revoked_at is null
        and (ends_at is null or ends_at > app_now()) as grant_is_live
    from ${tables[kind]} s join oauth_grants on oauth_grants.organization_id = s.organization_id and oauth_grants.id = s.grant_id
    where s.organization_id = current_organization() and s.digest = ${digest}
    for no key update of s, oauth_grants`)
}

/**
 * Writes an exchange: the secret is used, the grant noted, and the next refresh token and the access token are there. One
 * statement, for which nobody waits: as four they took a fifth of the time of the whole exchange.
 */
export function writeExchange(
  tx: Transaction,
  { digest, kind }: Presented<ExchangedKind>,
  grant: GrantRow,
  issued: { access: Sql; refresh_digest: Buffer; with_assertion: boolean },
): void {
  const { organization_id, id: grant_id, ends_at } = grant
  const expires_at = sql`least(${ends_at}::timestamptz, app_now() + interval '30 days')`
  const next = { organization_id, digest: issued.refresh_digest, grant_id, issued_at: sql`app_now()`, expires_at }
  const successor = kind === 'refresh' ? sql`, successor_digest = ${issued.refresh_digest}` : raw('')
  tx.send(sql`
    with used as (
      update ${tables[kind]} set used_at = app_now()${successor}
      where organization_id = ${organization_id} and digest = ${digest}
    ), noted as (
      update oauth_grants set last_used_at = app_now(), updated_at = app_now(),
        with_assertion = coalesce(with_assertion, ${issued.with_assertion})
      where organization_id = ${organization_id} and id = ${grant_id}
    ), next as (${insertInto('oauth_refresh_tokens', next)})
    ${issued.access}`)
}

/** Writes a code: it lives no longer than the browser needs to bring it to the client (RFC 6749 §4.1.2). */
export async function insertCode(
  tx: Transaction,
  code: Record<'organization_id' | 'grant_id' | 'client_id' | 'redirect_uri' | 'code_challenge', string> & {
    digest: Buffer
  },
): Promise<void> {
  const times = { created_at: sql`app_now()`, expires_at: sql`app_now() + interval '60 seconds'` }
  await tx.run(insertInto('oauth_codes', { ...code, ...times }))
}

/** A token that a request could use at this moment, judged by the same statement as a request is; else undefined. */
export function introspected(database: Database, { digest }: Presented) {
  type Told = 'organization_id' | 'scopes' | 'client_id' | 'user_id' | 'person_id' | 'resource' | 'created_at'
  return database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.row<Pick<GrantRow, Told> & { expires_at: string }>(sql`
      select live.organization_id, live.scopes, live.client_id, live.user_id, live.person_id, t.resources[1] as resource,
             t.expires_at, t.created_at
      from live_oauth_tokens live join access_tokens t on t.organization_id = live.organization_id and t.id = live.id
      where live.digest = ${digest}`),
  )
}

/** Ends one access token; answers it, unless it is unknown, another client's or over already. */
export function endAccessToken(
  tx: Transaction,
  presented: Presented,
  { client_id, name }: { client_id: string; name: string },
): Promise<{ organization_id: string; id: string; grant_id: string } | undefined> {
  enterOrganizationOf(tx, presented)
  return tx.row(sql`
    update access_tokens
    set revoked_at = app_now(), updated_at = app_now(), revoked_reason = 'revoked_by_client',
        revoked_by = jsonb_build_object('kind', 'token', 'id', grant_id, 'name', ${name}::text)
    where organization_id = current_organization() and digest = ${presented.digest} and client_id = ${client_id}
      and revoked_at is null
    returning organization_id, id, grant_id`)
}

type Given =
  | 'id'
  | 'organization_id'
  | 'user_id'
  | 'person_id'
  | 'client_id'
  | 'client_name'
  | 'redirect_host'
  | 'resource'
export type NewGrant = Pick<GrantRow, Given | 'ends_at'> & Record<'scopes' | 'sensitive_data', readonly string[]>

/**
 * Writes a grant. A client that acts for its organization has one at each resource, which is brought to what the client
 * has now; it counts as used at once, and is counted with the credential that made the client.
 */
export async function writeGrant(tx: Transaction, grant: NewGrant): Promise<GrantRow> {
  const { id, organization_id, client_id, user_id, person_id } = grant
  const isStanding = user_id === null && person_id === null
  const now = sql`app_now()`
  const root_of_maker = sql`(
    select coalesce(t.root_id, g.root_id) from oauth_clients c
    left join access_tokens t on t.organization_id = c.owner_organization_id and t.id = c.parent_token_id
    left join oauth_grants g on g.organization_id = c.owner_organization_id and g.id = c.parent_grant_id
    where c.owner_organization_id = ${organization_id} and c.client_id = ${client_id})`
  const insertion = insertInto('oauth_grants', {
    ...grant,
    root_id: isStanding ? sql`coalesce(${root_of_maker}, ${id})` : id,
    created_at: now,
    updated_at: now,
    last_used_at: isStanding ? now : null,
  })
  const row = await tx.row<GrantRow>(sql`
    ${insertion}
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
  return tx.row(sql`
    select ${oauthGrant.columns} from oauth_grants
    where organization_id = ${organization_id} and client_id = ${client_id} and resource = ${resource}
      and user_id is null and person_id is null and revoked_at is null`)
}

/** Narrows a list to the grants of one user. */
export const ofUser = (user_id: string | null) => (user_id === null ? [] : [sql`oauth_grants.user_id = ${user_id}`])

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

/**
 * A permission given to a client, as the list of connected apps shows it: what the client may do for a user, for a worker,
 * or (with neither) for the organization.
 */
export const oauthGrant = defineResource({
  name: 'grant',
  table: 'oauth_grants',
  fields: {
    id: { type: Id },
    client_id: { type: Type.String(), example: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P' },
    client_name: {
      type: Type.String({ description: 'As the client called itself when the grant was made.' }),
      set_by: 'server',
      example: 'Desk Assistant',
    },
    user_id: { type: Id, nullable: true },
    person_id: { type: Id, nullable: true },
    redirect_host: {
      type: Type.String({
        description: 'Where the code was sent, in ASCII (punycode where the name is international).',
      }),
      set_by: 'server',
      nullable: true,
    },
    resource: {
      type: Type.Enum(['rest', 'mcp'], { description: 'What its tokens open: the REST API or the tool server.' }),
      set_by: 'server',
    },
    scopes: { type: ScopeList },
    sensitive_data: { type: SensitiveList },
    created_at: { type: Timestamp },
    updated_at: { type: Timestamp },
    ends_at: { type: Timestamp, nullable: true },
    last_used_at: { type: Timestamp, nullable: true },
    revoked_at: { type: Timestamp, nullable: true },
    revoked_by: { type: ActorSchema, nullable: true },
    revoked_reason: {
      type: Type.String({
        description: '`revoked`, `revoked_by_client`, `code_replay`, `refresh_reuse` or `unused`.',
      }),
      set_by: 'server',
      nullable: true,
    },
  },
  internal: {
    // Redeemed with a signed assertion, so it is refreshed with one only; null until it is redeemed.
    with_assertion: { type: Type.Boolean(), nullable: true },
    root_id: { type: Id },
  },
})

export type GrantRow = RowFrom<typeof oauthGrant>
