import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { default_scopes } from '#identity/scopes.ts'
import { currentSession, type Session } from '#identity/sessions/index.ts'
import type { Addresses, Resource } from './addresses.ts'
import { insertRequest, type NewRequest, organizationsBlocking } from './authorization-request.store.ts'
import type { Client, Clients } from './clients/client.ts'
import { UnreadDocument } from './clients/client-documents.ts'
import { matchesRedirectUri, redirectTarget } from './clients/redirect-uri.ts'
import { errorPage, sentenceOf, showErrorOnPage, unreadDocumentPage } from './error-page.ts'
import type { OAuthAnswer, OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'
import { type Parameters, resourceIn, scopesIn } from './parameters.ts'

export interface AuthorizeParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
}

const requests_per_min_max = 120

/** Takes an authorization request (RFC 6749 §4.1.1) and sends the browser to the consent page. */
export function authorizationEndpoint({ runtime, addresses, clients }: AuthorizeParts): OAuthEndpoint {
  const { database, clock } = runtime
  const now = () => clock.now()
  const senderParts = {
    clients,
    blockedIn: (client_id: string, ids: string[]) => organizationsBlocking(database, client_id, ids),
  }
  return {
    operation: 'oauth.authorize',
    method: 'GET',
    path: '/oauth/authorize',
    limit: createRateLimit('authorizations', { requests_max: requests_per_min_max, window_s: 60, now }),
    showError: showErrorOnPage,
    async handle(request) {
      const session = await currentSession(database, { headers: { cookie: request.cookie } })
      const sender = await localErrors(clients, () => readSender(senderParts, request, session))
      if ('status' in sender) return sender
      return redirectedErrors(addresses, sender, request, session, async () => {
        const asked = readRequest(sender, request, addresses)
        if (request.is_head) return { status: 303 }
        const request_id = newRequestId()
        const digest = digestOfRequestId(request_id)
        if (!digest) throw new Error('a new request id has the wrong form')
        const row = { ...asked, digest }
        await database.transaction({ role: 'lookup' }, (tx) => insertRequest(tx, row))
        return seeOther(`${addresses.auth_url}/console/authorize/${request_id}`)
      })
    },
  }
}

const shown: readonly OAuthErrorCode[] = ['invalid_request', 'invalid_client']

/** Errors about client and redirect URI are shown here; a database that is away is no error of the request. */
async function localErrors(clients: Clients, work: () => Promise<Sender>): Promise<Sender | OAuthAnswer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreadDocument) return unreadDocumentPage(error, clients.offersDocuments())
    if (error instanceof OAuthError && shown.includes(error.code)) return errorPage(sentenceOf(error.message))
    throw error
  }
}

async function redirectedErrors(
  { auth_url }: Addresses,
  sender: Sender,
  request: OAuthRequest,
  session: Session | null,
  work: () => Promise<OAuthAnswer>,
): Promise<OAuthAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status !== 400) throw error
    const { client, redirect_uri } = sender
    const url = redirectTo(
      { redirect_uri, state: stateToReturn(request), issuer: auth_url },
      { error: error.code, error_description: error.message },
    )
    const target = redirectTarget(redirect_uri)
    if (client.kind === 'managed' || target.is_loopback || session) return seeOther(url)
    // Anybody can register an address: without a user's press this would be an open redirector (RFC 9700 §4.11.2).
    return errorPage(sentenceOf(error.message), { url, host: target.host })
  }
}

function stateToReturn({ parameters }: OAuthRequest): string | null {
  try {
    return stateIn(parameters)
  } catch {
    // The state itself is what is wrong: too long, or sent twice.
    return null
  }
}

function seeOther(url: string): OAuthAnswer {
  return { status: 303, headers: { Location: url } }
}

/** Who asks, and where the answer may be sent: known before anything is told to anybody but the user. */
interface Sender {
  client: Client
  redirect_uri: string
}

interface SenderParts {
  clients: Clients
  /** Organizations of these that blocked the client. */
  blockedIn(client_id: string, organization_ids: string[]): Promise<string[]>
}

/**
 * The first checks (RFC 6749 §4.1.2.1): client, redirect URI. What fails here is shown to the user and sent nowhere, since
 * it is not known to whom it would go.
 */
async function readSender(
  { clients, blockedIn }: SenderParts,
  { parameters, network }: OAuthRequest,
  session: Session | null,
): Promise<Sender> {
  const client = await clients.find(parameters.require('client_id'), network)
  if (!client) throw new OAuthError('invalid_request', 'client_id: the application is not known here')
  const own = [...(session?.memberships ?? []), ...(session?.workers ?? [])].map((place) => place.organization_id)
  if (own.length > 0 && (await blockedIn(client.client_id, own)).length === new Set(own).size) {
    throw new OAuthError('invalid_request', 'client_id: your organization blocked the application')
  }
  const redirect_uri = parameters.require('redirect_uri')
  if (!matchesRedirectUri(client.redirect_uris, redirect_uri)) {
    throw new OAuthError('invalid_request', 'redirect_uri: is not an address that the application registered')
  }
  return { client, redirect_uri }
}

/** The other checks in their order; what fails here travels to the client. */
function readRequest(
  { client, redirect_uri }: Sender,
  { parameters }: OAuthRequest,
  addresses: Addresses,
): Omit<NewRequest, 'digest'> {
  const state = stateIn(parameters)
  checkResponseMode(parameters)
  checkRequestObject(parameters)
  checkResponseType(parameters)
  checkGrantType(client)
  return {
    client_id: client.client_id,
    redirect_uri,
    state,
    code_challenge: challengeIn(parameters),
    scopes: requestedScopes(parameters, client),
    resource: requestedResource(parameters, client, addresses),
  }
}

const state_characters_max = 4_096
const scopes_max = 50

/** RFC 7636 §4.2: the SHA-256 of a verifier as base64url. */
const challenge_form = /^[A-Za-z0-9_-]{43}$/

/** Returned as it was sent (RFC 6749 §4.1.1). */
function stateIn(parameters: Parameters): string | null {
  const state = parameters.get('state') ?? null
  if (state && state.length > state_characters_max) {
    throw new OAuthError('invalid_request', `state: must have at most ${state_characters_max} characters`)
  }
  return state
}

/** Codes travel in the query; a fragment would stay in histories and reach scripts (RFC 9700 §2.1.2). */
function checkResponseMode(parameters: Parameters): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') throw new OAuthError('invalid_request', 'response_mode: must be query')
}

/** Request objects (RFC 9101) are not supported; ignoring one would ignore what the client believes it asked for. */
function checkRequestObject(parameters: Parameters): void {
  for (const name of ['request', 'request_uri']) {
    if (parameters.get(name) !== undefined) throw new OAuthError('invalid_request', `${name}: is not supported`)
  }
}

function checkResponseType(parameters: Parameters): void {
  if (parameters.require('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type: must be code')
  }
}

function checkGrantType({ grant_types }: Client): void {
  if (!grant_types.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'client_id: the client acts for its organization, not for users')
  }
}

/** PKCE for every client (RFC 9700 §2.1.1); without a method it would mean `plain` (RFC 7636 §4.3). */
function challengeIn(parameters: Parameters): string {
  const challenge = parameters.require('code_challenge')
  if (parameters.require('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method: must be S256')
  }
  if (!challenge_form.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge: must be 43 characters of base64url')
  }
  return challenge
}

/** What is asked for, within what the client registered; without a wish that is all of it. */
function requestedScopes(parameters: Parameters, client: Client): Scope[] {
  const text = parameters.get('scope') ?? ''
  if (text.split(' ').length > scopes_max) {
    throw new OAuthError('invalid_scope', `scope: must have at most ${scopes_max} names`)
  }
  const asked = scopesIn(text)
  if (!asked) throw new OAuthError('invalid_scope', 'scope: has a name that is not known')
  if (asked.length === 0) return [...(client.scopes ?? default_scopes)]
  const within = asked.filter((scope) => !client.scopes || isCovered(scope, client.scopes))
  if (within.length === 0) throw new OAuthError('invalid_scope', 'scope: is beyond what the client registered')
  return within
}

function requestedResource(parameters: Parameters, client: Client, addresses: Addresses): Resource {
  const resource = resourceIn(parameters, addresses)
  const own = client.kind === 'managed' ? client.resources : undefined
  if (resource && own && !own.includes(resource)) {
    throw new OAuthError('invalid_target', 'resource: is not one of the client')
  }
  return resource ?? own?.[0] ?? 'mcp'
}

/** `x:write` covers `x:read`. */
export function isCovered(scope: string, held: readonly string[]): boolean {
  return held.includes(scope) || (scope.endsWith(':read') && held.includes(scope.replace(/:read$/, ':write')))
}

const request_id_bytes = 32
const request_id_form = /^[A-Za-z0-9_-]{43}$/

/** Names a request on the consent page: 43 random characters, of which the database keeps the digest only. */
function newRequestId(): string {
  return randomBytes(request_id_bytes).toString('base64url')
}

/** Null for what is no id of ours; it is not looked up. */
export function digestOfRequestId(request_id: string): Buffer | null {
  return request_id_form.test(request_id) ? createHash('sha256').update(request_id).digest() : null
}

/** What is sent to a client by way of the browser (RFC 6749 §4.1.2): a code or an error, in either case with its origin. */
export interface AuthorizationResponse {
  code?: string
  error?: OAuthErrorCode
  error_description?: string
}

/** Where a response to an authorization request goes. */
interface ReturnAddress {
  redirect_uri: string
  state: string | null
  /** RFC 9207: lets a client with several servers notice that an answer comes from another one. */
  issuer: string
}

/** The redirect URI with the response appended; a query of its own is kept as it is. */
export function redirectTo({ redirect_uri, state, issuer }: ReturnAddress, response: AuthorizationResponse): string {
  const members = { ...response, state: state ?? undefined, iss: issuer }
  const query = Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')
  const joint = redirect_uri.includes('?') ? (/[?&]$/.test(redirect_uri) ? '' : '&') : '?'
  return `${redirect_uri}${joint}${query}`
}
