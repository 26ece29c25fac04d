import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { system_actor } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { equalBytes } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { issueToken } from '#identity/token.store.ts'
import { digestOf, isSandboxToken, newToken, type TokenKind } from '#identity/token-format.ts'
import type { Resource } from './addresses.ts'
import { isBlockedByAll } from './authorization-request.store.ts'
import { type Client, invalidClient } from './clients/client.ts'
import type { AuthenticatedClient, FlowParts } from './clients/clients.ts'
import { lockedClient } from './clients/oauth-client.store.ts'
import {
  findPresented,
  findStandingGrant,
  type HeldCode,
  type HeldSecret,
  insertRefreshToken,
  isSandbox,
  lockCode,
  lockRefreshToken,
  markCodeUsed,
  markRefreshTokenUsed,
  type NewGrant,
  noteIssue,
  type Presented,
  writeGrant,
} from './grant.store.ts'
import type { GrantRow } from './grant.ts'
import { endGrant } from './grants.ts'
import type { OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import { type Check, firstFailing, isCovered, OAuthError, refuseBy, resourceIn, scopesIn } from './parameters.ts'

const access_token_s = 3_600
const refresh_token_ms = 30 * 86_400_000

interface TokenAnswer extends Record<string, unknown> {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token?: string
  /** Always present: the user may have granted less than was asked (RFC 6749 §3.3). */
  scope: string
}

/** One way to get tokens, after the client has proven who it is. */
type GrantType = (parts: FlowParts, request: OAuthRequest, authenticated: AuthenticatedClient) => Promise<TokenAnswer>

const grantTypes: Readonly<Record<string, GrantType>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
  client_credentials: actForOrganization,
}

/** The token endpoint (RFC 6749 §3.2): grant type, then client, then the table of the grant type. */
export function tokenEndpoint(parts: FlowParts): OAuthEndpoint {
  const { clients } = parts
  return {
    operation: 'oauth.token',
    method: 'POST',
    path: '/oauth/token',
    cors: true,
    async handle(request) {
      const name = request.parameters.require('grant_type')
      const grantType = Object.hasOwn(grantTypes, name) ? grantTypes[name] : undefined
      if (!grantType) throw new OAuthError('unsupported_grant_type', 'grant_type: is not supported')
      const authenticated = await clients.authenticate(request)
      try {
        return { status: 200, body: await grantType(parts, request, authenticated) }
      } catch (error) {
        if (error instanceof OAuthError && error.status < 500) clients.noteRefusal(authenticated, request.network)
        // Guessing codes and tokens is counted like guessing secrets.
        if (error instanceof OAuthError && error.code === 'invalid_grant') {
          clients.noteFailure(authenticated.client.client_id, request.network)
        }
        throw error
      }
    },
  }
}

/** One text each for unknown, expired, used and revoked ones, which must not be told apart (RFC 6749 §10.10). */
const bad_code = 'code: is not valid, has expired or was used already'
const bad_token = 'refresh_token: is not valid, has expired or was used already'
const bad_resource = 'resource: is not the one that was granted'
const bad_proof = 'client: must prove itself as it did when it fetched the first tokens'

interface CodeSubject {
  row: HeldCode
  client: Client
  redirect_uri: string | undefined
  verifier: string
  resource: Resource | undefined
}

/** A code in its order of checks. Who merely saw it fails above the replay, and cannot cut the connection by it. */
const codeChecks: readonly Check<CodeSubject>[] = [
  ['RFC 6749 §4.1.3', 'invalid_grant', bad_code, ({ row, client }) => row.client_id !== client.client_id],
  ['RFC 6749 §4.1.3', 'invalid_grant', bad_code, ({ row, redirect_uri: uri }) => !isAbsentOr(row.redirect_uri, uri)],
  ['RFC 7636 §4.6', 'invalid_grant', bad_code, ({ row, verifier }) => !isVerifierOf(row.code_challenge, verifier)],
  ['RFC 6749 §4.1.2', 'invalid_grant', bad_code, ({ row }) => row.used_ms_ago !== null, 'code_replay'],
  ['RFC 6749 §4.1.2', 'invalid_grant', bad_code, ({ row }) => row.is_expired],
  ['RFC 6749 §5.2', 'invalid_grant', bad_code, ({ row }) => !row.grant_is_live],
  ['RFC 8707 §2.2', 'invalid_target', bad_resource, ({ row, resource }) => !isAbsentOr(row.resource, resource)],
]

/** A code against tokens (RFC 6749 §4.1.3), in one transaction. A failed attempt does not use the code up. */
async function redeemCode(
  { runtime, addresses }: FlowParts,
  request: OAuthRequest,
  { client, method }: AuthenticatedClient,
): Promise<TokenAnswer> {
  const { parameters } = request
  const code = parameters.require('code')
  const verifier = parameters.require('code_verifier')
  if (!verifier_form.test(verifier)) {
    throw new OAuthError('invalid_request', 'code_verifier: must be 43 to 128 unreserved characters')
  }
  const resource = resourceIn(parameters, addresses)
  const redirect_uri = parameters.get('redirect_uri')
  return withSecret(runtime, request, { secret: code, kind: 'code', unknown: bad_code }, async (tx, presented) => {
    const row = await lockCode(tx, presented)
    if (!row) throw new OAuthError('invalid_grant', bad_code)
    const failing = firstFailing(codeChecks, { row, client, redirect_uri, verifier, resource })
    if (failing) return { row, ...failing }
    const is_sandbox = isSandboxToken(code)
    const [access, successor] = await Promise.all([
      issueAccessToken(runtime, tx, row, { scopes: row.scopes, is_sandbox }),
      issueRefreshToken(tx, row, is_sandbox),
      markCodeUsed(tx, row),
      noteIssue(tx, row, method === 'private_key_jwt'),
    ])
    return { ...access, refresh_token: successor }
  })
}

/** RFC 7636 §4.1 */
const verifier_form = /^[A-Za-z0-9._~-]{43,128}$/

function isVerifierOf(challenge: string, verifier: string): boolean {
  return equalBytes(createHash('sha256').update(verifier).digest(), Buffer.from(challenge, 'base64url'))
}

function isAbsentOr<Value>(granted: Value, sent: Value | undefined): boolean {
  return sent === undefined || sent === granted
}

/**
 * Processes that share one stored token refresh at the same moment: a token that was used this recently is refused and
 * nothing more. Later its presentation means that two hold it, and one of them stole it (RFC 9700 §4.14).
 */
const race_window_ms = 10_000

interface RefreshSubject extends AuthenticatedClient {
  row: HeldSecret
  resource: Resource | undefined
}

/** A clock of the database that was set back makes `used_ms_ago` negative, and no family is ended. */
const refreshChecks: readonly Check<RefreshSubject>[] = [
  ['RFC 6749 §6', 'invalid_grant', bad_token, ({ row, client }) => row.client_id !== client.client_id],
  ['RFC 9700 §4.14', 'invalid_grant', bad_token, ({ row }) => (row.used_ms_ago ?? 0) > race_window_ms, 'refresh_reuse'],
  ['RFC 9700 §4.14', 'invalid_grant', bad_token, ({ row }) => row.used_ms_ago !== null],
  ['RFC 6749 §5.2', 'invalid_grant', bad_token, ({ row }) => row.is_expired],
  ['RFC 6749 §5.2', 'invalid_grant', bad_token, ({ row }) => !row.grant_is_live],
  [
    'RFC 7523 §3.2',
    'invalid_client',
    bad_proof,
    ({ row, method }) => !!row.with_assertion && method !== 'private_key_jwt',
  ],
  ['RFC 8707 §2.2', 'invalid_target', bad_resource, ({ row, resource }) => !isAbsentOr(row.resource, resource)],
]

/** A refresh token against its successor and an access token (RFC 6749 §6), in one transaction. */
async function refresh(
  { runtime, addresses, clients }: FlowParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
): Promise<TokenAnswer> {
  const { parameters } = request
  const token = parameters.require('refresh_token')
  const resource = resourceIn(parameters, addresses)
  return withSecret(runtime, request, { secret: token, kind: 'refresh', unknown: bad_token }, async (tx, presented) => {
    const row = await lockRefreshToken(tx, presented)
    if (!row) throw new OAuthError('invalid_grant', bad_token)
    const failing = firstFailing(refreshChecks, { row, resource, ...authenticated })
    if (failing) return { row, ...failing }
    clients.countGrant(row.grant_id)
    const scopes = scopesWithin(row.scopes, parameters.get('scope'), 'scope: is beyond what was granted')
    const is_sandbox = isSandboxToken(token)
    const [access, successor] = await Promise.all([
      issueAccessToken(runtime, tx, row, { scopes, is_sandbox }),
      issueRefreshToken(tx, row, is_sandbox),
      noteIssue(tx, row, authenticated.method === 'private_key_jwt'),
    ])
    await markRefreshTokenUsed(tx, row, digestOf(successor))
    return { ...access, refresh_token: successor }
  })
}

interface Refused {
  row: HeldSecret
  error: OAuthError
  grant_ends: string | undefined
}

/** Runs the work in the organization of a secret; a refusal that ends the grant is thrown when that is committed. */
async function withSecret(
  runtime: Runtime,
  { request_id, address }: OAuthRequest,
  { secret, kind, unknown }: { secret: string; kind: TokenKind; unknown: string },
  work: (tx: Transaction, presented: Presented) => Promise<TokenAnswer | Refused>,
): Promise<TokenAnswer> {
  const presented = await findPresented(runtime.database, secret, [kind])
  if (!presented) throw new OAuthError('invalid_grant', unknown)
  const { organization_id } = presented
  const answer = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const worked = await work(tx, presented)
    if (isRefused(worked) && worked.grant_ends) {
      const { row, grant_ends: reason } = worked
      const { grant_id } = row
      await endGrant(runtime, tx, { organization_id, grant_id, by: system_actor, reason, request_id, address })
    }
    return worked
  })
  if (isRefused(answer)) throw answer.error
  return answer
}

function isRefused(answer: TokenAnswer | Refused): answer is Refused {
  return 'error' in answer
}

/** Fewer scopes for this one access token; the grant keeps all of its own (RFC 6749 §6). */
function scopesWithin(held: string[], text: string | undefined, refusal: string): string[] {
  const wished = scopesIn(text ?? '')
  if (!wished?.every((scope) => isCovered(scope, held))) throw new OAuthError('invalid_scope', refusal)
  return wished.length > 0 ? wished : held
}

interface OwnClientSubject extends AuthenticatedClient {
  isBlocked: boolean
}

const closed = 'grant_type: is not open to this client'
const blocked = 'client: was blocked by its organization'

const clientChecks: readonly Check<OwnClientSubject>[] = [
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ client }) => client.kind !== 'managed'],
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ client }) => !client.grant_types.includes('client_credentials')],
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ method }) => method === 'none'],
  ['RFC 6749 §5.2', 'unauthorized_client', blocked, ({ isBlocked }) => isBlocked],
]

/** A client acts for the organization that made it (RFC 6749 §4.4): an access token and no refresh token. */
async function actForOrganization(
  { runtime, addresses }: FlowParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
): Promise<TokenAnswer> {
  const { parameters } = request
  const { organization_id, client_id } = authenticated.client
  const isBlocked = await isBlockedByAll(runtime.database, client_id, organization_id ? [organization_id] : [])
  refuseBy(clientChecks, { ...authenticated, isBlocked })
  if (!organization_id) throw invalidClient()
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    // It proved who it is before: what was taken from it since then is gone, and who takes something now waits.
    const client = await lockedClient(tx, organization_id, client_id)
    if (!client || (client.expires_at !== null && client.expires_at <= tx.now)) throw invalidClient()
    const resource = resourceIn(parameters, addresses) ?? client.resources[0] ?? 'rest'
    if (!client.resources.includes(resource)) {
      throw new OAuthError('invalid_target', 'resource: is not one of the client')
    }
    const refusal = 'scope: is beyond what the client was given'
    const scopes = scopesWithin(client.scopes ?? [], parameters.get('scope'), refusal)
    if (scopes.length === 0) throw new OAuthError('invalid_scope', refusal)
    const grant = await standingGrant(tx, request, {
      id: newId(runtime.clock.now()),
      organization_id,
      client_id,
      client_name: client.name,
      resource,
      user_id: null,
      person_id: null,
      redirect_host: null,
      scopes: client.scopes ?? [],
      sensitive_data: client.sensitive_data,
      ends_at: client.expires_at,
    })
    const is_sandbox = await isSandbox(tx, organization_id)
    return issueAccessToken(runtime, tx, { ...grant, grant_id: grant.id }, { scopes, is_sandbox })
  })
}

const audited = ['client_name', 'scopes', 'sensitive_data', 'ends_at'] as const

/** Most tokens change nothing of the grant, and leave no audit line. The caller holds the client locked. */
async function standingGrant(
  tx: Transaction,
  { request_id, address }: OAuthRequest,
  grant: NewGrant,
): Promise<GrantRow> {
  const former = await findStandingGrant(tx, grant)
  const row = await writeGrant(tx, grant)
  const changed_fields = audited.filter((name) => !isDeepStrictEqual(row[name], former?.[name]))
  if (former && changed_fields.length === 0) return row
  await recordAudit(tx, {
    organization_id: grant.organization_id,
    // As in what it does with its tokens: a client that acts for the organization goes by its grant.
    actor: { kind: 'token', id: row.id, name: row.client_name },
    credential_id: null,
    action: former ? 'oauth_grants.update' : 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: row.id },
    changed_fields: former ? changed_fields : ['scopes', 'sensitive_data'],
    request_id,
    address,
  })
  return row
}

/** A grant that this transaction holds locked or has just written. */
type Issuing = Omit<HeldSecret, 'digest' | 'is_expired' | 'used_ms_ago' | 'grant_is_live'>

/** An access token for an hour, and for no longer than its grant. */
async function issueAccessToken(
  { clock }: Runtime,
  tx: Transaction,
  grant: Issuing,
  { scopes, is_sandbox }: { scopes: string[]; is_sandbox: boolean },
): Promise<TokenAnswer> {
  const { organization_id, grant_id, client_id, client_name, resource, user_id, person_id, ends_at } = grant
  const rest_s = ends_at === null ? access_token_s : Math.floor((Date.parse(ends_at) - Date.parse(tx.now)) / 1_000)
  const expires_in = Math.max(0, Math.min(access_token_s, rest_s))
  const { token } = await issueToken(tx, {
    id: newId(clock.now()),
    organization_id,
    is_sandbox,
    kind: 'oauth',
    name: client_name,
    scopes,
    sensitive_data: grant.sensitive_data,
    user_id,
    person_id,
    created_by: { kind: 'token', id: grant_id, name: client_name },
    expires_at: later(tx.now, expires_in * 1_000),
    oauth: { client_id, grant_id, resource },
  })
  return { access_token: token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') }
}

/** A refresh token for 30 days, and for no longer than its grant. */
async function issueRefreshToken(tx: Transaction, grant: Issuing, is_sandbox: boolean): Promise<string> {
  const { organization_id, grant_id, ends_at } = grant
  const token = newToken('refresh', is_sandbox)
  const end = later(tx.now, refresh_token_ms)
  const expires_at = ends_at !== null && ends_at < end ? ends_at : end
  await insertRefreshToken(tx, { organization_id, grant_id, digest: digestOf(token), expires_at })
  return token
}

function later(now: string, by_ms: number): string {
  return new Date(Date.parse(now) + by_ms).toISOString()
}
