import { createHash } from 'node:crypto'
import { system_actor } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import { equalBytes } from '#core/secrets.ts'
import { newId } from '#core/values/id.ts'
import type { Transaction } from '#db/database.ts'
import { isSandboxToken } from '#identity/token-format.ts'
import type { Addresses, Resource } from './addresses.ts'
import { organizationsBlocking } from './authorization-request.store.ts'
import { isCovered } from './authorize.ts'
import type { AuthenticatedClient, Client, Clients } from './clients/client.ts'
import { invalidClient } from './clients/client-authentication.ts'
import { lockedClient } from './clients/oauth-client.store.ts'
import { endGrant, standingGrant } from './end-grant.ts'
import { type HeldGrant, isLive, isSandbox, noteIssue } from './grant.store.ts'
import { issueAccessToken, issueRefreshToken, organizationOf, type TokenAnswer } from './issue-tokens.ts'
import type { OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import { OAuthError } from './oauth-error.ts'
import { type Parameters, resourceIn, scopesIn } from './parameters.ts'
import { lockCode, lockRefreshToken, markCodeUsed, markRefreshTokenUsed } from './token.store.ts'

/** The token endpoint (RFC 6749 §3.2): grant type, client, then what the grant type asks for. */
export function tokenEndpoint({ clients, ...parts }: ExchangeParts): OAuthEndpoint {
  return {
    operation: 'oauth.token',
    method: 'POST',
    path: '/oauth/token',
    cors: true,
    async handle(request) {
      const exchange = exchanges.get(request.parameters.require('grant_type'))
      if (!exchange) throw new OAuthError('unsupported_grant_type', 'grant_type: is not supported')
      const authenticated = await clients.authenticate(request)
      try {
        return { status: 200, body: await exchange({ ...parts, clients }, request, authenticated) }
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

/** A client acts for the organization that made it (RFC 6749 §4.4): an access token and no refresh token. */
const exchangeClientCredentials: Exchange = async ({ runtime, addresses }, request, { client, method }) => {
  const { parameters } = request
  const { organization_id, client_id } = client
  const isOpen = client.kind === 'managed' && organization_id && client.grant_types.includes('client_credentials')
  if (!isOpen || method === 'none') {
    throw new OAuthError('unauthorized_client', 'grant_type: is not open to this client')
  }
  if ((await organizationsBlocking(runtime.database, client_id, [organization_id])).length > 0) {
    throw new OAuthError('unauthorized_client', 'client: was blocked by its organization')
  }
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    // It proved who it is before: what was taken from it since then is gone, and who takes something now waits.
    const current = await lockedClient(tx, organization_id, client_id)
    if (!current || (current.expires_at !== null && current.expires_at <= tx.now)) throw invalidClient()
    const resource = resourceFor(current, parameters, addresses)
    const scopes = scopesFor(current, parameters)
    const grant = {
      organization_id,
      client_id,
      client_name: current.name,
      resource,
      user_id: null,
      person_id: null,
      redirect_host: null,
      scopes: current.scopes ?? [],
      sensitive_data: current.sensitive_data,
      ends_at: current.expires_at,
    }
    const { id: grant_id, ends_at } = await standingGrant(tx, { ...grant, id: newId(runtime.clock.now()) }, request)
    const is_sandbox = await isSandbox(tx, organization_id)
    return issueAccessToken(runtime, tx, { grant: { ...grant, grant_id, ends_at }, scopes, is_sandbox })
  })
}

function resourceFor(client: Pick<Client, 'resources'>, parameters: Parameters, addresses: Addresses): Resource {
  const resource = resourceIn(parameters, addresses) ?? client.resources[0] ?? 'rest'
  if (!client.resources.includes(resource)) {
    throw new OAuthError('invalid_target', 'resource: is not one of the client')
  }
  return resource
}

function scopesFor({ scopes }: Pick<Client, 'scopes'>, parameters: Parameters): string[] {
  const own = scopes ?? []
  const wished = scopesIn(parameters.get('scope') ?? '')
  if (own.length === 0 || !wished?.every((scope) => isCovered(scope, own))) {
    throw new OAuthError('invalid_scope', 'scope: is beyond what the client was given')
  }
  return wished.length > 0 ? wished : own
}

/** RFC 7636 §4.1 */
const verifier_form = /^[A-Za-z0-9._~-]{43,128}$/

/**
 * A code against tokens (RFC 6749 §4.1.3), in one transaction. A failed attempt does not use the code up. A second one
 * that passes all the checks ends the grant (§4.1.2); one that does not is only refused, so that who merely saw the code
 * cannot cut the connection.
 */
const exchangeCode: Exchange = async ({ runtime, addresses }, request, { client, method }) => {
  const { parameters, request_id, address } = request
  const code = parameters.require('code')
  const verifier = verifierIn(parameters)
  const resource = resourceIn(parameters, addresses)
  const presented = await organizationOf(runtime, code, ['code'])
  if (!presented) throw invalidGrant('code')
  const { organization_id, digests } = presented
  const answer = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const row = await lockCode(tx, organization_id, digests)
    if (!row || !isFor(row, client, parameters, verifier)) return null
    if (row.used_at !== null) {
      const { grant_id } = row
      const by = system_actor
      await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'code_replay', request_id, address })
      return null
    }
    if (row.code_expires_at <= tx.now || !isLive(row, tx.now)) return null
    if (resource !== undefined && resource !== row.resource) throw notTheGrants()
    const is_sandbox = isSandboxToken(code)
    const [access, refresh] = await Promise.all([
      issueAccessToken(runtime, tx, { grant: row, scopes: row.scopes, is_sandbox }),
      issueRefreshToken(runtime, tx, { grant: row, is_sandbox }),
      markCodeUsed(tx, organization_id, row.digest),
      noteIssue(tx, { ...row, with_assertion: method === 'private_key_jwt' }),
    ])
    return { ...access, refresh_token: refresh.token }
  })
  if (!answer) throw invalidGrant('code')
  return answer
}

function verifierIn(parameters: Parameters): string {
  const verifier = parameters.require('code_verifier')
  if (!verifier_form.test(verifier)) {
    throw new OAuthError('invalid_request', 'code_verifier: must be 43 to 128 unreserved characters')
  }
  return verifier
}

/** Whether the code was issued to this client, at this address, for who knows the verifier (RFC 7636 §4.6). */
function isFor(
  row: HeldGrant & { redirect_uri: string; code_challenge: string },
  { client_id }: Client,
  parameters: Parameters,
  verifier: string,
): boolean {
  const redirect_uri = parameters.get('redirect_uri')
  const challenge = createHash('sha256').update(verifier).digest()
  return (
    row.client_id === client_id &&
    (redirect_uri === undefined || redirect_uri === row.redirect_uri) &&
    equalBytes(challenge, Buffer.from(row.code_challenge, 'base64url'))
  )
}

export function notTheGrants(): OAuthError {
  return new OAuthError('invalid_target', 'resource: is not the one that was granted')
}

/**
 * Processes that share one stored token refresh at the same moment: a token that was used this recently is refused and
 * nothing more. Later its presentation means that two hold it, and one of them stole it (RFC 9700 §4.14).
 */
const race_window_ms = 10_000

/** A refresh token against its successor and an access token (RFC 6749 §6), in one transaction. */
const exchangeRefreshToken: Exchange = async (parts, request, { client, method }) => {
  const { runtime, addresses, clients } = parts
  const { parameters } = request
  const token = parameters.require('refresh_token')
  const resource = resourceIn(parameters, addresses)
  const presented = await organizationOf(runtime, token, ['refresh'])
  if (!presented) throw invalidGrant('refresh_token')
  const { organization_id, digests } = presented
  const answer = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const row = await lockRefreshToken(tx, organization_id, digests)
    if (!row || row.client_id !== client.client_id) return null
    if (row.used_at !== null) return noteReuse(parts, tx, request, { ...row, used_at: row.used_at })
    if (row.token_expires_at <= tx.now || !isLive(row, tx.now)) return null
    clients.countGrant(row.grant_id)
    if (row.with_assertion && method !== 'private_key_jwt') {
      throw new OAuthError('invalid_client', 'client: must prove itself as it did when it fetched the first tokens')
    }
    if (resource !== undefined && resource !== row.resource) throw notTheGrants()
    const scopes = narrowed(parameters.get('scope'), row)
    const is_sandbox = isSandboxToken(token)
    const [access, refresh] = await Promise.all([
      issueAccessToken(runtime, tx, { grant: row, scopes, is_sandbox }),
      succeed(parts, tx, row, is_sandbox),
      noteIssue(tx, { ...row, with_assertion: method === 'private_key_jwt' }),
    ])
    return { ...access, refresh_token: refresh }
  })
  if (!answer) throw invalidGrant('refresh_token')
  return answer
}

async function succeed(
  { runtime }: ExchangeParts,
  tx: Transaction,
  row: HeldGrant & { digest: Buffer },
  is_sandbox: boolean,
): Promise<string> {
  const { token, at_rest } = await issueRefreshToken(runtime, tx, { grant: row, is_sandbox })
  await markRefreshTokenUsed(tx, { ...row, successor: at_rest.digest })
  return token
}

/** Both times are the database's; where its clock was set back the difference is negative, and no family is ended. */
async function noteReuse(
  { runtime }: ExchangeParts,
  tx: Transaction,
  { request_id, address }: OAuthRequest,
  { organization_id, grant_id, used_at }: HeldGrant & { used_at: string },
): Promise<null> {
  if (Date.parse(tx.now) - Date.parse(used_at) <= race_window_ms) return null
  const by = system_actor
  await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'refresh_reuse', request_id, address })
  return null
}

/** Fewer scopes for this one access token; the grant keeps all of its own. */
function narrowed(text: string | undefined, { scopes }: HeldGrant): string[] {
  const wished = scopesIn(text ?? '')
  if (!wished?.every((scope) => isCovered(scope, scopes))) {
    throw new OAuthError('invalid_scope', 'scope: is beyond what was granted')
  }
  return wished.length > 0 ? wished : scopes
}

interface ExchangeParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
}

/** One way to get tokens: the work of a grant type, after its client has proven who it is. */
type Exchange = (
  parts: ExchangeParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
) => Promise<TokenAnswer>

/**
 * One text for everything that can be wrong with a code or a refresh token: unknown, expired, used and revoked ones must
 * not be told apart (RFC 6749 §10.10).
 */
function invalidGrant(name: 'code' | 'refresh_token'): OAuthError {
  return new OAuthError('invalid_grant', `${name}: is not valid, has expired or was used already`)
}

const exchanges = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
  ['client_credentials', exchangeClientCredentials],
])
