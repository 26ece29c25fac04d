import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import { defineProblem, invalidState, notFound, unauthenticated, unavailable } from '#core/problems.ts'
import { Closed, Id, Nullable, type Static, Type } from '#core/schema/schema.ts'
import { derivedMacs, equalBytes, type Secrets } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { scopes, sensitiveCategories } from '#identity/scopes.ts'
import type { Session } from '#identity/session.store.ts'
import { digestOf, digestOfSecret, newToken } from '#identity/token-format.ts'
import {
  bindRequest,
  decideRequest,
  earlierConsents,
  findRequest,
  type RequestRow,
  verdictsOn,
} from './authorization-request.store.ts'
import { type AuthorizationResponse, redirectTo } from './authorize.ts'
import type { Client } from './clients/client.ts'
import { UnreadDocument } from './clients/client-documents.ts'
import type { FlowParts } from './clients/clients.ts'
import { lockedClient } from './clients/oauth-client.store.ts'
import { matchesRedirectUri, redirectTarget } from './clients/redirect-uri.ts'
import { categoriesOf, categoryWords, type Offer, offersOf, scopesToGrant, scopeWords } from './consent-offers.ts'
import { type ConsoleEndpoint, type ConsoleRequest, foreignOrigin } from './console-endpoint.ts'
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

type DecisionInput = Static<typeof Decision>

/** Allow or Deny: in one transaction the request is decided and, where allowed, grant and code are made. */
export function decideConsent(parts: FlowParts): ConsoleEndpoint {
  const { runtime, addresses } = parts
  const { database, secrets } = runtime
  return {
    operation: 'console.decide_consent',
    method: 'POST',
    path: '/console/auth/consent/:request_id',
    input: Decision,
    async handle(request) {
      const { session, request_id, digest } = await whoDecides(request)
      // The cast holds because the input was checked against `Decision`.
      const decision = request.input as DecisionInput
      checkCsrfToken(secrets, session.session_id, request_id, decision.csrf_token)
      const { session_id } = session
      const shown = openOne(
        await database.transaction({ role: 'lookup', read_only: true }, (tx) => findRequest(tx, digest, session_id)),
      )
      // A denial is looked at as well: it goes back to the address of the request, which has to be the client's own still.
      const choices = await choicesOf(parts, shown, session, request.network)
      const choice = decision.decision === 'deny' ? null : chosen(decision, choices, shown)
      const response = await database.transaction(
        { role: 'app', ...(choice && { organization_id: choice.offer.organization_id }) },
        async (tx): Promise<AuthorizationResponse> => {
          const row = openOne(await decideRequest(tx, digest, session_id))
          if (!choice) return { error: 'access_denied', error_description: 'request: the user did not allow it' }
          return { code: await grantAccess(parts, tx, { row, session, choice, request }) }
        },
      )
      const { redirect_uri, state } = shown
      return { body: { redirect_to: redirectTo({ redirect_uri, state, issuer: addresses.auth_url }, response) } }
    },
  }
}

function openOne(row: RequestRow | undefined): RequestRow {
  if (!row) throw noSuchRequest()
  requireUndecided(row)
  return row
}

function chosen(decision: DecisionInput, { offers }: Choices, row: RequestRow): Choice | null {
  const { organization_id, person_id = null, scopes: wished, sensitive_data } = decision
  const offer = offers.find((one) => one.organization_id === organization_id && one.person_id === person_id)
  const offered = offer?.scopes.filter(({ state }) => state !== 'struck_out').map(({ name }) => name) ?? []
  if (!offer) throw beyond('/organization_id', 'is none of the organizations that are offered')
  if (wished.some((scope) => !offered.includes(scope))) throw beyond('/scopes', 'has a scope that is not offered')
  if (sensitive_data.some((category) => !offer.sensitive_data.includes(category))) {
    throw beyond('/sensitive_data', 'has a category that is not offered')
  }
  if (wished.length === 0) return null
  return {
    offer,
    scopes: scopesToGrant(wished, row.scopes),
    sensitive_data: categoriesOf(offer, [...new Set(sensitive_data)]),
  }
}

function beyond(pointer: string, message: string) {
  return consentBeyondRequest(undefined, { errors: [{ pointer, message }] })
}

/** Contents of the consent page, bound to the first session that opens it. */
export function showConsent(parts: FlowParts): ConsoleEndpoint {
  const { database, secrets } = parts.runtime
  return {
    operation: 'console.show_consent',
    method: 'GET',
    path: '/console/auth/consent/:request_id',
    async handle(request) {
      const { session, request_id, digest } = await whoDecides(request)
      const row = await database.transaction({ role: 'lookup' }, (tx) => bindRequest(tx, digest, session.session_id))
      if (!row) throw noSuchRequest()
      requireUndecided(row)
      const choices = await choicesOf(parts, row, session, request.network)
      return {
        body: {
          request_id,
          csrf_token: csrfToken(secrets, session.session_id, request_id),
          client: clientOf(choices.client),
          redirect: redirectOf(row.redirect_uri),
          resource: row.resource,
          organizations: choices.offers.map((offer) => organizationOf(offer, choices)),
          expires_at: row.expires_at,
        },
      }
    },
  }
}

function redirectOf(redirect_uri: string) {
  const { host, ...target } = redirectTarget(redirect_uri)
  const words = target.is_private_scheme ? { host, unicode_host: host, mixed_scripts: [] } : hostWords(host)
  return { ...words, ...target }
}

function clientOf(client: Client) {
  const { client_id, name, kind, description, client_uri, organization_name } = client
  // A document proves the host that it lies at, and nothing of what it says.
  const document_host = kind === 'document' ? hostWords(new URL(client_id).host) : null
  const mixed_scripts = mixedScripts(name)
  return { client_id, name, mixed_scripts, kind, document_host, description, client_uri, managed_by: organization_name }
}

function organizationOf(offer: Offer, { verdicts }: Choices) {
  return {
    ...offer,
    client_verdict: verdicts.get(offer.organization_id) ?? null,
    scopes: offer.scopes.map((scope) => ({ ...scope, words: scopeWords[scope.name] })),
    sensitive_data: offer.sensitive_data.map((name) => ({ name, words: categoryWords[name] })),
  }
}

/** The signed-in user who decides, and the request by the id in the path. */
async function whoDecides(request: ConsoleRequest): Promise<{ session: Session; request_id: string; digest: Buffer }> {
  const session = await request.session()
  if (!session) throw unauthenticated('Nobody is signed in.')
  const { request_id = '' } = request.params
  const digest = digestOfSecret(request_id)
  if (!digest) throw noSuchRequest()
  return { session, request_id, digest }
}

/** Unknown, expired and another session's requests read alike. */
export function noSuchRequest() {
  return notFound('There is no such request, or it is over. Start again from the application.')
}

function requireUndecided(row: RequestRow): void {
  if (row.decided_at) throw invalidState('This request was decided already. Start again from the application.')
}

/**
 * True when the client could still send this request: it may have been changed while the user thought, and what was
 * taken from it is not given any more, nor is the code sent to an address that is no longer its own.
 */
export function couldBeSent(
  { redirect_uris, resources, scopes: bound }: Pick<Client, 'redirect_uris' | 'resources' | 'scopes'>,
  { redirect_uri, resource, scopes }: RequestRow,
): boolean {
  return (
    matchesRedirectUri(redirect_uris, redirect_uri) &&
    resources.includes(resource) &&
    scopes.every((scope) => !bound || isCovered(scope, bound))
  )
}

interface Choices {
  client: Client
  offers: Offer[]
  /** By organization. */
  verdicts: ReadonlyMap<string, 'verified' | 'blocked'>
}

/** The rights that a user allows of those offered; null when nothing of it is left, which is a denial. */
export interface Choice {
  offer: Offer
  scopes: Scope[]
  sensitive_data: readonly SensitiveCategory[]
}

/** The document of a client may become too old to go by while its request is open, and be away, or describe none. */
function refuseUnread(error: unknown): never {
  if (!(error instanceof UnreadDocument)) throw error
  if (error.why !== 'away') throw noSuchRequest()
  throw unavailable('The application cannot be looked at for the moment: its own server is away.', {
    is_elsewhere: true,
  })
}

/** Reads the choices of the consent page; the same whether it is shown or decided upon. */
async function choicesOf(
  { runtime, clients }: FlowParts,
  row: RequestRow,
  session: Session,
  network: string,
): Promise<Choices> {
  const client = await clients.find(row.client_id, network).catch(refuseUnread)
  if (!client || !couldBeSent(client, row)) throw noSuchRequest()
  const { user_id, memberships, workers } = session
  const organization_ids = [...memberships, ...workers].map((place) => place.organization_id)
  const { client_id } = client
  const [verdicts, earlier] = await runtime.database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    Promise.all([
      verdictsOn(tx, client_id, organization_ids),
      earlierConsents(tx, { client_id, user_id, organization_ids }),
    ]),
  )
  return {
    client,
    offers: offersOf(session, { client, requested: row.scopes, verdicts, earlier }),
    verdicts,
  }
}

/** Makes the grant that a user allowed and the code by which the client fetches its tokens; answers the code. */
async function grantAccess(
  { runtime: { clock }, grant_days }: Pick<FlowParts, 'runtime' | 'grant_days'>,
  tx: Transaction,
  {
    row,
    session,
    choice,
    request,
  }: { row: RequestRow; session: Session; choice: Choice; request: Pick<ConsoleRequest, 'address' | 'request_id'> },
): Promise<string> {
  const { offer, scopes, sensitive_data } = choice
  const { organization_id, person_id, is_sandbox } = offer
  const { client_id, redirect_uri, code_challenge } = row
  // A change, block or deletion of the client at this moment waits, or was first: no grant slips through between.
  const client = await lockedClient(tx, organization_id, client_id)
  if (
    !client ||
    !couldBeSent(client, row) ||
    (await verdictsOn(tx, client_id, [organization_id])).get(organization_id) === 'blocked'
  )
    throw noSuchRequest()
  const grant_id = newId(clock.now())
  await writeGrant(tx, {
    id: grant_id,
    organization_id,
    user_id: session.user_id,
    person_id,
    client_id,
    client_name: client.name,
    redirect_host: redirectTarget(redirect_uri).host,
    resource: row.resource,
    scopes,
    sensitive_data: [...sensitive_data],
    ends_at: new Date(Date.parse(tx.now) + grant_days * 86_400_000).toISOString(),
  })
  const code = newToken('code', is_sandbox)
  await insertCode(tx, { digest: digestOf(code), organization_id, grant_id, client_id, redirect_uri, code_challenge })
  await recordAudit(tx, {
    organization_id,
    actor: { kind: person_id ? 'worker' : 'user', id: person_id ?? session.user_id, name: session.name },
    credential_id: session.session_id,
    action: 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: grant_id },
    changed_fields: ['scopes', 'sensitive_data'],
    request_id: request.request_id,
    address: request.address,
  })
  return code
}

const purpose = 'stint consent request'

/** Proves that a decision comes from the page that was shown this request in this session (RFC 6749 §10.12). */
function csrfToken(secrets: Secrets, session_id: string, request_id: string): string {
  const [newest] = derivedMacs(secrets, purpose)
  if (!newest) throw new Error('there is no key to sign with')
  return newest(textOf(session_id, request_id)).toString('base64url')
}

function checkCsrfToken(secrets: Secrets, session_id: string, request_id: string, sent: string): void {
  const bytes = Buffer.from(sent, 'base64url')
  const isOurs = derivedMacs(secrets, purpose).some((mac) => equalBytes(mac(textOf(session_id, request_id)), bytes))
  if (!isOurs) throw foreignOrigin()
}

function textOf(session_id: string, request_id: string): string {
  return JSON.stringify([session_id, request_id])
}

const consentBeyondRequest = defineProblem({
  code: 'consent_beyond_request',
  status: 422,
  title: 'The decision gives more than can be given',
  advice: 'Choose among the organizations, scopes and categories that the request offers.',
})

/** Endpoints of the consent page. */
export function consentEndpoints(parts: FlowParts): ConsoleEndpoint[] {
  return [showConsent(parts), decideConsent(parts)]
}
