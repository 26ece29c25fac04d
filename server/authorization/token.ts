import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { system_actor } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { counter } from '#core/metrics.ts'
import { equalBytes } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { newTokenRow } from '#identity/token.store.ts'
import { digestOf, isSandboxToken, newToken } from '#identity/token-format.ts'
import type { Resource } from './addresses.ts'
import { type ClientRow, invalidClient } from './clients/client.ts'
import type { AuthenticatedClient, FlowParts } from './clients/clients.ts'
import { lockedClient } from './clients/oauth-client.store.ts'
import {
  type ExchangedKind,
  findStandingGrant,
  type GrantRow,
  type HeldSecret,
  lockSecret,
  type NewGrant,
  presentedAs,
  writeExchange,
  writeGrant,
} from './grant.store.ts'
import { endGrant } from './grants.ts'
import type { OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import { type Check, firstFailing, isCovered, OAuthError, refuseBy, resourceIn, scopesIn } from './parameters.ts'

/** One way to get tokens, after the client has proven who it is. */
type GrantType = (
  parts: FlowParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
) => Promise<Record<string, unknown>>

const tokensIssued = counter('oauth_tokens_issued_total', 'Access tokens that the token endpoint issued.', ['grant'])

const grantTypes = new Map<string, GrantType>([
  ['authorization_code', (...given) => exchange('code', ...given)],
  ['refresh_token', (...given) => exchange('refresh', ...given)],
  ['client_credentials', actForOrganization],
])

/** The token endpoint (RFC 6749 §3.2): grant type, then client, then the table of the grant type. */
export function tokenEndpoint(parts: FlowParts): OAuthEndpoint {
  const { clients } = parts
  return {
    operation: 'oauth.token',
    method: 'POST',
    path: '/oauth/token',
    cors: true,
    async handle(request) {
      const grant = request.parameters.require('grant_type')
      const grantType = grantTypes.get(grant)
      if (!grantType) throw new OAuthError('unsupported_grant_type', 'grant_type: is not supported')
      const authenticated = await clients.authenticate(request)
      try {
        const body = await grantType(parts, request, authenticated)
        tokensIssued.inc({ grant })
        return { status: 200, body }
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

/** A code or refresh token with what came beside it. */
interface Presentation extends AuthenticatedClient {
  row: HeldSecret
  uri: string | undefined
  verifier: string
  resource: Resource | undefined
}

/** One text each for unknown, expired, used and revoked ones, which must not be told apart (RFC 6749 §10.10). */
const bad_code = 'code: is not valid, has expired or was used already'
const bad_token = 'refresh_token: is not valid, has expired or was used already'
const bad_resource = 'resource: is not the one that was granted'
const bad_proof = 'client: must prove itself as it did when it fetched the first tokens'

/** A code in its order of checks. Who merely saw it fails above the replay, and cannot cut the connection by it. */
const codeChecks: readonly Check<Presentation>[] = [
  ['RFC 6749 §4.1.3', 'invalid_grant', bad_code, ({ row, client }) => row.client_id !== client.client_id],
  ['RFC 6749 §4.1.3', 'invalid_grant', bad_code, ({ row, uri }) => !isAbsentOr(row.redirect_uri, uri)],
  ['RFC 7636 §4.6', 'invalid_grant', bad_code, ({ row, verifier }) => !isVerifierOf(row.code_challenge, verifier)],
  ['RFC 6749 §4.1.2', 'invalid_grant', bad_code, ({ row }) => row.used_ms_ago !== null, 'code_replay'],
  ['RFC 6749 §4.1.2', 'invalid_grant', bad_code, ({ row }) => row.is_expired],
  ['RFC 6749 §5.2', 'invalid_grant', bad_code, ({ row }) => !row.grant_is_live],
  ['RFC 8707 §2.2', 'invalid_target', bad_resource, ({ row, resource }) => !isAbsentOr(row.resource, resource)],
]

/**
 * Processes that share one stored token refresh at the same moment: a token that was used this recently is refused and
 * nothing more. Later its presentation means that two hold it, and one of them stole it (RFC 9700 §4.14).
 */
const race_window_ms = 10_000

/** A clock of the database that was set back makes `used_ms_ago` negative, and no family is ended. */
const refreshChecks: readonly Check<Presentation>[] = [
  ['RFC 6749 §6', 'invalid_grant', bad_token, ({ row, client }) => row.client_id !== client.client_id],
  ['RFC 9700 §4.14', 'invalid_grant', bad_token, ({ row }) => (row.used_ms_ago ?? 0) > race_window_ms, 'refresh_reuse'],
  ['RFC 9700 §4.14', 'invalid_grant', bad_token, ({ row }) => row.used_ms_ago !== null],
  ['RFC 6749 §5.2', 'invalid_grant', bad_token, ({ row }) => row.is_expired],
  ['RFC 6749 §5.2', 'invalid_grant', bad_token, ({ row }) => !row.grant_is_live],
  ['RFC 7523 §3.2', 'invalid_client', bad_proof, ({ row, method }) => !!row.with_assertion && !isAssertion(method)],
  ['RFC 8707 §2.2', 'invalid_target', bad_resource, ({ row, resource }) => !isAbsentOr(row.resource, resource)],
]

const exchanges = {
  code: { parameter: 'code', unknown: bad_code, checks: codeChecks },
  refresh: { parameter: 'refresh_token', unknown: bad_token, checks: refreshChecks },
}

/** A plan of these statements that was made while the tables were small is kept, and still right when they are not. */
const by_index = { enable_seqscan: 'off' }

/**
 * A code (RFC 6749 §4.1.3) or refresh token (§6) against an access token and the next refresh token, in one transaction.
 * A failed attempt does not use it up.
 */
async function exchange(
  kind: ExchangedKind,
  { runtime, addresses, clients }: FlowParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
): Promise<Record<string, unknown>> {
  const { parameters } = request
  const { parameter, unknown, checks } = exchanges[kind]
  const secret = parameters.require(parameter)
  const verifier = kind === 'code' ? verifierIn(parameters.require('code_verifier')) : ''
  const sent = { verifier, uri: parameters.get('redirect_uri'), resource: resourceIn(parameters, addresses) }
  const presented = presentedAs(secret, [kind])
  if (!presented) throw new OAuthError('invalid_grant', unknown)
  const { now } = authenticated.client
  const answer = await runtime.database.transaction({ role: 'app', now, settings: by_index }, async (tx) => {
    const row = await lockSecret(tx, presented)
    if (!row) throw new OAuthError('invalid_grant', unknown)
    const { organization_id } = row
    const failing = firstFailing(checks, { row, ...authenticated, ...sent })
    if (failing) {
      const { error, grant_ends: reason } = failing
      if (reason)
        await endGrant(runtime, tx, { organization_id, grant_id: row.id }, { by: system_actor, reason, request })
      // Answered and not thrown: the end of the grant is committed.
      return error
    }
    clients.countGrant(row.id)
    const wished = kind === 'refresh' ? parameters.get('scope') : undefined
    const scopes = scopesWithin(row.scopes, wished, 'scope: is beyond what was granted')
    const is_sandbox = isSandboxToken(secret)
    const refresh_token = newToken('refresh', is_sandbox)
    const { insertion, answer } = newAccessToken(runtime, tx, row, { scopes, is_sandbox })
    const issued = { access: insertion, refresh_digest: digestOf(refresh_token) }
    writeExchange(tx, presented, row, { ...issued, with_assertion: isAssertion(authenticated.method) })
    return { ...answer, refresh_token }
  })
  if (answer instanceof OAuthError) throw answer
  return answer
}

/** RFC 7636 §4.1 */
function verifierIn(verifier: string): string {
  if (/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return verifier
  throw new OAuthError('invalid_request', 'code_verifier: must be 43 to 128 unreserved characters')
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  return equalBytes(createHash('sha256').update(verifier).digest(), Buffer.from(challenge, 'base64url'))
}

function isAbsentOr<Value>(granted: Value, sent: Value | undefined): boolean {
  return sent === undefined || sent === granted
}

const isAssertion = (method: AuthenticatedClient['method']) => method === 'private_key_jwt'

/** Fewer scopes for this one access token; the grant keeps all of its own (RFC 6749 §6). */
function scopesWithin(held: readonly string[], text: string | undefined, refusal: string): string[] {
  const wished = scopesIn(text ?? '')
  if (!wished?.every((scope) => isCovered(scope, held))) throw new OAuthError('invalid_scope', refusal)
  return wished.length > 0 ? wished : [...held]
}

const closed = 'grant_type: is not open to this client'

const clientChecks: readonly Check<AuthenticatedClient>[] = [
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ client }) => client.kind !== 'managed'],
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ client }) => !client.grant_types.includes('client_credentials')],
  ['RFC 6749 §4.4', 'unauthorized_client', closed, ({ method }) => method === 'none'],
]

const blocked = 'client: was blocked by its organization'
const strange_resource = 'resource: is not one of the client'

/** Checks of the client as it stands, which may have changed since it proved who it is. */
const lockedChecks: readonly Check<{ client: ClientRow; resource: Resource }>[] = [
  ['RFC 6749 §5.2', 'unauthorized_client', blocked, ({ client }) => client.verdict === 'blocked'],
  ['RFC 8707 §2', 'invalid_target', strange_resource, ({ client, resource }) => !client.resources.includes(resource)],
]

/** A client acts for the organization that made it (RFC 6749 §4.4): an access token and no refresh token. */
async function actForOrganization(
  { runtime, addresses }: FlowParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
): Promise<Record<string, unknown>> {
  const { parameters } = request
  const { organization_id, client_id, is_sandbox } = authenticated.client
  refuseBy(clientChecks, authenticated)
  if (!organization_id) throw invalidClient()
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const client = await lockedClient(tx, organization_id, client_id)
    if (!client || (client.expires_at !== null && client.expires_at <= tx.now)) throw invalidClient()
    const { name: client_name, sensitive_data, expires_at: ends_at } = client
    const resource = resourceIn(parameters, addresses) ?? client.resources[0] ?? 'rest'
    refuseBy(lockedChecks, { client, resource })
    const held = client.scopes ?? []
    const refusal = 'scope: is beyond what the client was given'
    const scopes = scopesWithin(held, parameters.get('scope'), refusal)
    if (scopes.length === 0) throw new OAuthError('invalid_scope', refusal)
    const grant = await standingGrant(tx, request, {
      ...{ id: newId(runtime.clock.now()), organization_id, client_id, client_name, resource },
      ...{ user_id: null, person_id: null, redirect_host: null, scopes: held, sensitive_data, ends_at },
    })
    const { insertion, answer } = newAccessToken(runtime, tx, grant, { scopes, is_sandbox: is_sandbox ?? false })
    tx.send(insertion)
    return answer
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
  recordAudit(tx, {
    organization_id: grant.organization_id,
    // As in what it does with its tokens: a client that acts for the organization goes by its grant.
    actor: { kind: 'token', id: row.id, name: row.client_name },
    action: former ? 'oauth_grants.update' : 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: row.id },
    changed_fields: former ? changed_fields : ['scopes', 'sensitive_data'],
    request_id,
    address,
  })
  return row
}

const access_token_s = 3_600

/** An access token for an hour, and for no longer than its grant. */
function newAccessToken(
  { clock }: Runtime,
  tx: Transaction,
  { id: grant_id, client_id, client_name, resource, ends_at, ...grant }: GrantRow,
  { scopes, is_sandbox }: { scopes: string[]; is_sandbox: boolean },
) {
  const { organization_id, user_id, person_id, sensitive_data, root_id } = grant
  const now_ms = Date.parse(tx.now)
  const rest_s = ends_at === null ? access_token_s : Math.floor((Date.parse(ends_at) - now_ms) / 1_000)
  const expires_in = Math.max(0, Math.min(access_token_s, rest_s))
  const { insertion, token } = newTokenRow({
    ...{ id: newId(clock.now()), organization_id, is_sandbox, kind: 'oauth', name: client_name },
    ...{ scopes, sensitive_data, user_id, person_id, root_id },
    created_by: { kind: 'token', id: grant_id, name: client_name },
    expires_at: new Date(now_ms + expires_in * 1_000).toISOString(),
    oauth: { client_id, grant_id, resource },
  })
  // The scope is always told: the user may have granted less than was asked (RFC 6749 §3.3).
  return { insertion, answer: { access_token: token, token_type: 'Bearer', expires_in, scope: scopes.join(' ') } }
}
