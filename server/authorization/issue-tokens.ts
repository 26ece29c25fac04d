import type { Actor } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import { newId } from '#core/values/id.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { issueToken } from '#identity/issue-token.ts'
import { atRest, digestsOf, newToken, type TokenAtRest, type TokenKind, tokenKindOf } from '#identity/token-format.ts'
import type { HeldGrant } from './grant.store.ts'
import type { Presented } from './token.store.ts'
import { insertRefreshToken } from './token.store.ts'

const access_token_s = 3_600
const refresh_token_ms = 30 * 86_400_000

export interface TokenAnswer extends Record<string, unknown> {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token?: string
  /** Always present: the user may have granted less than was asked (RFC 6749 §3.3). */
  scope: string
}

/** What tokens are issued under: a grant that this transaction holds locked or has just made. */
export type Issuing = Pick<
  HeldGrant,
  'organization_id' | 'grant_id' | 'client_id' | 'client_name' | 'resource' | 'sensitive_data' | 'ends_at'
> &
  Partial<Pick<HeldGrant, 'user_id' | 'person_id'>>

/** An access token for an hour, and for no longer than its grant. */
export async function issueAccessToken(
  { clock, secrets }: Runtime,
  tx: Transaction,
  { grant, scopes, is_sandbox }: { grant: Issuing; scopes: string[]; is_sandbox: boolean },
): Promise<TokenAnswer> {
  const { organization_id, grant_id, client_id, client_name, resource, user_id = null, person_id = null } = grant
  const rest_s = grant.ends_at === null ? access_token_s : secondsBetween(tx.now, grant.ends_at)
  const expires_in = Math.min(access_token_s, rest_s)
  const by: Actor = { kind: 'token', id: grant_id, name: client_name }
  const { token } = await issueToken(tx, secrets, {
    id: newId(clock.now()),
    organization_id,
    is_sandbox,
    kind: 'oauth',
    name: client_name,
    scopes,
    sensitive_data: grant.sensitive_data,
    user_id,
    person_id,
    created_by: by,
    expires_at: later(tx.now, expires_in * 1_000),
    oauth: { client_id, grant_id, resource },
  })
  return { access_token: token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') }
}

/** A refresh token for 30 days, and for no longer than its grant; answers how it rests too. */
export async function issueRefreshToken(
  { secrets }: Runtime,
  tx: Transaction,
  { grant, is_sandbox }: { grant: HeldGrant; is_sandbox: boolean },
): Promise<{ token: string; at_rest: TokenAtRest }> {
  const { organization_id, grant_id, ends_at } = grant
  const token = newToken('refresh', is_sandbox)
  const at_rest = atRest(secrets, token)
  const end = later(tx.now, refresh_token_ms)
  const expires_at = ends_at !== null && ends_at < end ? ends_at : end
  await insertRefreshToken(tx, { ...at_rest, organization_id, grant_id, expires_at })
  return { token, at_rest }
}

function later(now: string, by_ms: number): string {
  return new Date(Date.parse(now) + by_ms).toISOString()
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1_000))
}

/** Finds the organization of a secret of one of these kinds; undefined for what is malformed, of another kind or unknown. */
export async function organizationOf(
  { database, secrets }: Pick<Runtime, 'database' | 'secrets'>,
  secret: string,
  kinds: readonly TokenKind[],
): Promise<(Presented & { kind: TokenKind }) | undefined> {
  const kind = tokenKindOf(secret)
  if (!kind || !kinds.includes(kind)) return undefined
  const digests = digestsOf(secrets, secret)
  const row = await database.row<{ organization_id: string | null }>(
    sql`select oauth_secret_organization(${kind}, ${digests}::bytea[]) as organization_id`,
  )
  return row?.organization_id ? { organization_id: row.organization_id, digests, kind } : undefined
}
