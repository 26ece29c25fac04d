import type { Scope } from '#core/caller.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { default_scopes } from '#identity/scopes.ts'
import { currentSession, type Session } from '#identity/session.store.ts'
import { digestOf, newSecret } from '#identity/token-format.ts'
import type { Addresses, Resource } from './addresses.ts'
import { insertRequest, isBlockedByAll, type NewRequest } from './authorization-request.store.ts'
import type { Client } from './clients/client.ts'
import type { FlowParts } from './clients/clients.ts'
import { matchesRedirectUri, redirectTarget } from './clients/redirect-uri.ts'
import { linkedErrorPage, showErrorOnPage } from './error-page.ts'
import type { OAuthAnswer, OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import {
  type Check,
  isCovered,
  OAuthError,
  type OAuthErrorCode,
  type Parameters,
  refuseBy,
  resourceIn,
  scopesIn,
} from './parameters.ts'

const requests_per_min_max = 120

/** Takes an authorization request (RFC 6749 §4.1.1) and sends the browser to the consent page. */
export function authorizationEndpoint(parts: FlowParts): OAuthEndpoint {
  const { runtime, addresses, clients } = parts
  const { database, clock } = runtime
  return {
    operation: 'oauth.authorize',
    method: 'GET',
    path: '/oauth/authorize',
    limit: createRateLimit('authorizations', { requests_max: requests_per_min_max, window_s: 60, now: clock.now }),
    showError: (error) => showErrorOnPage(error, clients.offersDocuments()),
    async handle(request) {
      const session = await currentSession(database, { headers: { cookie: request.cookie } })
      const sender = await readSender(parts, request, session)
      try {
        const asked = readAsked(sender, request, addresses)
        if (request.is_head) return { status: 303 }
        const request_id = newSecret()
        await database.transaction({ role: 'lookup' }, (tx) => insertRequest(tx, digestOf(request_id), asked))
        return seeOther(`${addresses.auth_url}/console/authorize/${request_id}`)
      } catch (error) {
        if (!(error instanceof OAuthError) || error.status !== 400) throw error
        return redirectedError(error, sender, request, { iss: addresses.auth_url, session })
      }
    },
  }
}

const unknown_client = 'client_id: the application is not known here'
const blocked_client = 'client_id: your organization blocked the application'
const strange_address = 'redirect_uri: is not an address that the application registered'

/** The first checks: a failure is shown to the user and sent nowhere, since it is not known to whom it would go. */
const localChecks: readonly Check<{ p: Parameters; client: Client | undefined; isBlocked: boolean }>[] = [
  ['RFC 6749 §4.1.2.1', 'invalid_request', unknown_client, ({ client }) => !client],
  ['RFC 6749 §4.1.2.1', 'invalid_request', blocked_client, ({ isBlocked }) => isBlocked],
  ['RFC 9700 §4.1.3', 'invalid_request', strange_address, ({ client, p }) => !isRegistered(client, p)],
]

function isRegistered(client: Client | undefined, p: Parameters): boolean {
  return matchesRedirectUri(client?.redirect_uris ?? [], p.require('redirect_uri'))
}

type Sender = Awaited<ReturnType<typeof readSender>>

/** The sender of a request, and the address for its answer: known before anything is told to anybody but the user. */
async function readSender(
  { clients, runtime }: FlowParts,
  { parameters, network }: OAuthRequest,
  session: Session | null,
) {
  const client = await clients.find(parameters.require('client_id'), network)
  const places = [...(session?.memberships ?? []), ...(session?.workers ?? [])]
  const isBlocked = client !== undefined && (await isBlockedByAll(runtime.database, client.client_id, places))
  refuseBy(localChecks, { p: parameters, client, isBlocked })
  if (!client) throw new OAuthError('invalid_request', unknown_client)
  return { client, redirect_uri: parameters.require('redirect_uri') }
}

const state_characters_max = 4_096
const scopes_max = 50

/** RFC 7636 §4.2: the SHA-256 of a verifier as base64url. */
const challenge_form = /^[A-Za-z0-9_-]{43}$/

interface AskedSubject {
  /** Its parameters. */
  p: Parameters
  client: Client
  addresses: Addresses
}

const long_state = `state: must have at most ${state_characters_max} characters`
const own_only = 'client_id: the client acts for its organization, not for users'
const bad_challenge = 'code_challenge: must be 43 characters of base64url'
const many_scopes = `scope: must have at most ${scopes_max} names`
const beyond_client = 'scope: is beyond what the client registered'
const bad_mode = 'response_mode: must be query'
const bad_type = 'response_type: must be code'
const strange_scope = 'scope: has a name that is not known'
const strange_resource = 'resource: is not one of the client'
const bad_method = 'code_challenge_method: must be S256'

/**
 * The other checks in their order: a failure travels to the client. Codes travel in the query, since a fragment stays in
 * histories and reaches scripts; request objects (RFC 9101) are refused, since ignoring one would ignore what the client
 * believes it asked for; PKCE is for every client, and without a method it would mean `plain`.
 */
const checks: readonly Check<AskedSubject>[] = [
  ['RFC 6749 §4.1.1', 'invalid_request', long_state, ({ p }) => (p.get('state') ?? '').length > state_characters_max],
  ['RFC 9700 §2.1.2', 'invalid_request', bad_mode, ({ p }) => !isAbsentOr(p, 'response_mode', 'query')],
  ['RFC 9101 §5', 'invalid_request', 'request: is not supported', ({ p }) => !isAbsentOr(p, 'request')],
  ['RFC 9101 §5', 'invalid_request', 'request_uri: is not supported', ({ p }) => !isAbsentOr(p, 'request_uri')],
  ['RFC 6749 §3.1.1', 'unsupported_response_type', bad_type, ({ p }) => p.require('response_type') !== 'code'],
  ['RFC 6749 §4.1.2.1', 'unauthorized_client', own_only, ({ client }) => !isForUsers(client)],
  ['RFC 9700 §2.1.1', 'invalid_request', 'code_challenge: is missing', ({ p }) => isAbsentOr(p, 'code_challenge')],
  ['RFC 7636 §4.3', 'invalid_request', bad_method, ({ p }) => p.require('code_challenge_method') !== 'S256'],
  ['RFC 7636 §4.2', 'invalid_request', bad_challenge, ({ p }) => !challenge_form.test(p.require('code_challenge'))],
  ['RFC 6749 §3.3', 'invalid_scope', many_scopes, ({ p }) => (p.get('scope') ?? '').split(' ').length > scopes_max],
  ['RFC 6749 §3.3', 'invalid_scope', strange_scope, ({ p }) => scopesIn(p.get('scope') ?? '') === null],
  ['RFC 6749 §3.3', 'invalid_scope', beyond_client, ({ p, client }) => scopesFor(p, client).length === 0],
  ['RFC 8707 §2', 'invalid_target', strange_resource, (subject) => resourceFor(subject) === undefined],
]

function readAsked({ client, redirect_uri }: Sender, { parameters }: OAuthRequest, addresses: Addresses): NewRequest {
  const subject = { p: parameters, client, addresses }
  refuseBy(checks, subject)
  return {
    client_id: client.client_id,
    redirect_uri,
    state: parameters.get('state') ?? null,
    code_challenge: parameters.require('code_challenge'),
    scopes: scopesFor(parameters, client),
    resource: resourceFor(subject) ?? 'mcp',
  }
}

const isForUsers = ({ grant_types }: Client) => grant_types.includes('authorization_code')

/** True when a parameter is absent or has this value. */
function isAbsentOr(p: Parameters, name: string, value?: string): boolean {
  return (p.get(name) ?? value) === value
}

/** The scopes asked for within those that the client registered; all of these where it asks for none. */
function scopesFor(parameters: Parameters, { scopes }: Client): Scope[] {
  const asked = scopesIn(parameters.get('scope') ?? '') ?? []
  if (asked.length === 0) return [...(scopes ?? default_scopes)]
  return asked.filter((scope) => !scopes || isCovered(scope, scopes))
}

/** The resource asked for, or the first of a managed client; undefined when it is none of the client's. */
function resourceFor({ p, client, addresses }: AskedSubject): Resource | undefined {
  const resource = resourceIn(p, addresses)
  const own = client.kind === 'managed' ? client.resources : undefined
  if (resource && own && !own.includes(resource)) return undefined
  return resource ?? own?.[0] ?? 'mcp'
}

/**
 * An error travels to the client where somebody answers for its address. Anybody can register one: without a user's press
 * this would be an open redirector (RFC 9700 §4.11.2).
 */
function redirectedError(
  error: OAuthError,
  { client, redirect_uri }: Sender,
  { parameters }: OAuthRequest,
  { iss, session }: { iss: string; session: Session | null },
): OAuthAnswer {
  const { code, message: error_description } = error
  const url = redirectTo(redirect_uri, { error: code, error_description, state: stateToReturn(parameters), iss })
  const { host, is_loopback } = redirectTarget(redirect_uri)
  if (client.kind === 'managed' || is_loopback || session) return seeOther(url)
  return linkedErrorPage(error, { url, host })
}

/** Null where the state itself is wrong: too long, or sent twice. */
function stateToReturn(parameters: Parameters): string | null {
  const states = parameters.all('state')
  const [state = ''] = states
  return states.length === 1 && state.length <= state_characters_max ? state : null
}

function seeOther(url: string): OAuthAnswer {
  return { status: 303, headers: { Location: url } }
}

interface BrowserAnswer {
  code?: string
  error?: OAuthErrorCode
  error_description?: string
  state: string | null
  /** RFC 9207: lets a client with several servers notice that an answer comes from another one. */
  iss: string
}

/** The redirect URI with an answer appended (RFC 6749 §4.1.2); a query of its own is kept as it is. */
export function redirectTo(redirect_uri: string, answer: BrowserAnswer): string {
  const query = Object.entries(answer)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')
  const joint = redirect_uri.includes('?') ? (/[?&]$/.test(redirect_uri) ? '' : '&') : '?'
  return `${redirect_uri}${joint}${query}`
}
