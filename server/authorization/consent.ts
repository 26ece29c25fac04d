import type { Scope } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import { defineProblem, invalidState, notFound, unauthenticated, unavailable } from '#core/problems.ts'
import { Closed, Id, Nullable, type Static, Type } from '#core/schema/schema.ts'
import { derivedMacs, equalBytes, type Secrets } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { foreignOrigin, refuseOldProof } from '#identity/console-request.ts'
import { scopes, sensitiveCategories } from '#identity/scopes.ts'
import type { Session } from '#identity/session.store.ts'
import { digestOf, digestOfSecret, newToken } from '#identity/token-format.ts'
import {
  bindRequest,
  decideRequest,
  earlierConsents,
  type RequestRow,
  verdictsOn,
} from './authorization-request.store.ts'
import { redirectTo } from './authorize.ts'
import type { Client } from './clients/client.ts'
import { UnreadDocument } from './clients/client-documents.ts'
import type { FlowParts } from './clients/clients.ts'
import { lockedClient } from './clients/oauth-client.store.ts'
import { matchesRedirectUri, redirectTarget } from './clients/redirect-uri.ts'
import { type Offer, offersOf, scopesToGrant } from './consent-offers.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { insertCode, writeGrant } from './grant.store.ts'
import { hostWords, mixedScripts } from './look-alike.ts'
import { isCovered } from './parameters.ts'

const Decision = Closed({
  csrf_token: Type.String({ minLength: 1, maxLength: 100 }),
  decision: Type.Enum(['approve', 'deny']),
  organization_id: Type.Optional(Id),
  person_id: Type.Optional(Nullable(Id)),
  scopes: Type.Array(Type.Enum([...scopes]), { maxItems: scopes.length, default: [] }),
  sensitive_data: Type.Array(Type.Enum([...sensitiveCategories]), {
    maxItems: sensitiveCategories.length,
    default: [],
  }),
})

const path = '/console/auth/consent/:request_id'

/** Endpoints of the consent page. */
export const consentEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.show_consent', method: 'GET', path, handle: showConsent },
  { operation: 'console.decide_consent', method: 'POST', path, input: Decision, handle: decideConsent },
]

/** Contents of the consent page. */
async function showConsent(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const { session, request_id, digest } = await whoDecides(request)
  const { row, client, offers } = await openRequest(parts, request, session, digest)
  const { client_id, name, kind, description, client_uri, organization_name: managed_by } = client
  const [csrf_token] = csrfTokens(parts.runtime.secrets, session, request_id)
  return {
    body: {
      request_id,
      csrf_token: csrf_token?.toString('base64url'),
      client: {
        ...{ client_id, name, mixed_scripts: mixedScripts(name), kind, description, client_uri, managed_by },
        // A document proves the host that it lies at, and nothing of what it says.
        document_host: kind === 'document' ? hostWords(new URL(client_id).host) : null,
      },
      redirect: redirectOf(row.redirect_uri),
      resource: row.resource,
      organizations: offers,
      expires_at: row.expires_at,
    },
  }
}

function redirectOf(redirect_uri: string) {
  const { host, ...target } = redirectTarget(redirect_uri)
  const words = target.is_private_scheme ? { host, unicode_host: host, mixed_scripts: [] } : hostWords(host)
  return { ...words, ...target }
}

/** Allow or Deny: in one transaction the request is decided and, where allowed, grant and code are made. */
async function decideConsent(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const { runtime, addresses } = parts
  const { session, request_id, digest } = await whoDecides(request)
  // The cast holds because the input was checked against `Decision`.
  const decision = request.input as Static<typeof Decision>
  const sent = Buffer.from(decision.csrf_token, 'base64url')
  const tokens = csrfTokens(runtime.secrets, session, request_id)
  if (!tokens.some((token) => equalBytes(token, sent))) throw foreignOrigin()
  // A denial is looked at as well: it goes back to the address of the request, which has to be the client's own still.
  const { row, offers } = await openRequest(parts, request, session, digest)
  const choice = decision.decision === 'deny' ? null : chosen(decision, offers, row.scopes)
  const tenant = choice && { organization_id: choice.offer.organization_id }
  const response = await runtime.database.transaction({ role: 'app', ...tenant }, async (tx) => {
    if (choice && isPowerful(choice)) refuseOldProof(session, tx.real_now)
    requireUndecided(await decideRequest(tx, digest, session.session_id))
    if (choice) return { code: await grantAccess(parts, tx, { row, session, choice, request }) }
    return { error: 'access_denied', error_description: 'request: the user did not allow it' } as const
  })
  const redirect_to = redirectTo(row.redirect_uri, { ...response, state: row.state, iss: addresses.auth_url })
  return { body: { redirect_to } }
}

/** An app that changes things, or sees what is sensitive, is asked for no proof afterwards: whoever allows it gives one. */
function isPowerful({ scopes, sensitive_data }: NonNullable<ReturnType<typeof chosen>>): boolean {
  return sensitive_data.length > 0 || scopes.some((scope) => scope.endsWith(':write'))
}

/** The signed-in user who decides, and the request by the id in the path. */
async function whoDecides(request: ConsoleRequest) {
  const session = await request.session()
  if (!session) throw unauthenticated('Nobody is signed in.')
  const { request_id = '' } = request.params
  const digest = digestOfSecret(request_id)
  if (!digest) throw noSuchRequest()
  return { session, request_id, digest }
}

/**
 * Prove that a decision comes from the page that was shown this request in this session (RFC 6749 §10.12); the first is by
 * the newest key.
 */
function csrfTokens(secrets: Secrets, { session_id }: Session, request_id: string): Buffer[] {
  return derivedMacs(secrets, 'stint consent request').map((mac) => mac(JSON.stringify([session_id, request_id])))
}

/** The request of the path and the choices of its page; it is bound to the first session that opens it. */
async function openRequest(
  { runtime: { database }, clients }: FlowParts,
  { network }: ConsoleRequest,
  session: Session,
  digest: Buffer,
) {
  const { session_id, user_id, memberships, workers } = session
  const row = requireUndecided(
    await database.transaction({ role: 'lookup' }, (tx) => bindRequest(tx, digest, session_id)),
  )
  const { client_id, scopes: requested } = row
  const client = await clients.find(client_id, network).catch(refuseUnread)
  if (!client || !couldBeSent(client, row)) throw noSuchRequest()
  const organization_ids = [...memberships, ...workers].map((place) => place.organization_id)
  const [verdicts, earlier] = await database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    Promise.all([
      verdictsOn(tx, client_id, organization_ids),
      earlierConsents(tx, { client_id, user_id, organization_ids }),
    ]),
  )
  return { row, client, offers: offersOf(session, { client, requested, verdicts, earlier }) }
}

function requireUndecided(row: RequestRow | undefined): RequestRow {
  if (!row) throw noSuchRequest()
  if (row.decided_at) throw invalidState('This request was decided already. Start again from the application.')
  return row
}

/** Unknown, expired and another session's requests read alike. */
function noSuchRequest() {
  return notFound('There is no such request, or it is over. Start again from the application.')
}

/** The document of a client may become too old to go by while its request is open, and be away, or describe none. */
function refuseUnread(error: unknown): never {
  if (!(error instanceof UnreadDocument)) throw error
  if (error.why !== 'away') throw noSuchRequest()
  const words = 'The application cannot be looked at for the moment: its own server is away.'
  throw unavailable(words, { is_elsewhere: true })
}

/**
 * True when the client could still send this request: it may have been changed while the user thought, and what was
 * taken from it is not given any more, nor is the code sent to an address that is no longer its own.
 */
function couldBeSent(
  { redirect_uris, resources, scopes: bound }: Pick<Client, 'redirect_uris' | 'resources' | 'scopes'>,
  { redirect_uri, resource, scopes }: RequestRow,
): boolean {
  return (
    matchesRedirectUri(redirect_uris, redirect_uri) &&
    resources.includes(resource) &&
    scopes.every((scope) => !bound || isCovered(scope, bound))
  )
}

/** The rights that a user allows of those offered; null when nothing of it is left, which is a denial. */
function chosen(decision: Static<typeof Decision>, offers: readonly Offer[], requested: readonly Scope[]) {
  const { organization_id, person_id = null, scopes: wished, sensitive_data } = decision
  const offer = offers.find((one) => one.organization_id === organization_id && one.person_id === person_id)
  if (!offer) throw beyond('/organization_id', 'is none of the organizations that are offered')
  const isOffered = (scope: Scope) => offer.scopes.some(({ name, state }) => name === scope && state !== 'struck_out')
  if (!wished.every(isOffered)) throw beyond('/scopes', 'has a scope that is not offered')
  if (!sensitive_data.every((category) => offer.sensitive_data.some(({ name }) => name === category))) {
    throw beyond('/sensitive_data', 'has a category that is not offered')
  }
  if (wished.length === 0) return null
  return {
    offer,
    scopes: scopesToGrant(wished, requested),
    // A worker's show the worker's own rows only, and need no choice.
    sensitive_data: offer.as === 'worker' ? sensitiveCategories : [...new Set(sensitive_data)],
  }
}

function beyond(pointer: string, message: string) {
  return consentBeyondRequest(undefined, { errors: [{ pointer, message }] })
}

interface Decided {
  row: RequestRow
  session: Session
  choice: NonNullable<ReturnType<typeof chosen>>
  request: ConsoleRequest
}

/** Makes the grant that a user allowed and the code by which the client fetches its tokens; answers the code. */
async function grantAccess(
  { runtime: { clock }, grant_days }: FlowParts,
  tx: Transaction,
  { row, session: { session_id, user_id, name }, choice, request: { request_id, address } }: Decided,
): Promise<string> {
  const { organization_id, person_id, is_sandbox } = choice.offer
  const { client_id, redirect_uri, code_challenge, resource } = row
  // A change, block or deletion of the client at this moment waits, or was first: no grant slips through between.
  const client = await lockedClient(tx, organization_id, client_id)
  if (!client || client.verdict === 'blocked' || !couldBeSent(client, row)) throw noSuchRequest()
  const grant_id = newId(clock.now())
  await writeGrant(tx, {
    ...{ id: grant_id, organization_id, user_id, person_id, client_id, client_name: client.name, resource },
    redirect_host: redirectTarget(redirect_uri).host,
    scopes: choice.scopes,
    sensitive_data: choice.sensitive_data,
    ends_at: new Date(Date.parse(tx.now) + grant_days * 86_400_000).toISOString(),
  })
  const code = newToken('code', is_sandbox)
  await insertCode(tx, { digest: digestOf(code), organization_id, grant_id, client_id, redirect_uri, code_challenge })
  recordAudit(tx, {
    organization_id,
    actor: { kind: person_id ? 'worker' : 'user', id: person_id ?? user_id, name },
    credential_id: session_id,
    action: 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: grant_id },
    changed_fields: ['scopes', 'sensitive_data'],
    ...{ request_id, address },
  })
  return code
}

const consentBeyondRequest = defineProblem({
  code: 'consent_beyond_request',
  status: 422,
  title: 'The decision gives more than can be given',
  advice: 'Choose among the organizations, scopes and categories that the request offers.',
})
