import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { invalidState, notFound, unauthenticated, unavailable } from '#core/problems/problems.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Session } from '#identity/sessions/index.ts'
import type { Addresses } from '../addresses.ts'
import type { RequestRow } from '../authorize/authorization-request.store.ts'
import { isCovered } from '../authorize/checks.ts'
import { digestOfRequestId } from '../authorize/request-id.ts'
import type { Client, Clients } from '../clients/client.ts'
import { matchesRedirectUri } from '../clients/redirect-uri.ts'
import { UnreadDocument } from '../clients/unread-document.ts'
import type { ConsoleRequest } from '../console-endpoint.ts'
import { historyOf } from './consent.store.ts'
import { type Offer, offersOf } from './offers.ts'

export interface ConsentParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
  /** How long a permission lasts that a user gave. */
  grant_days: number
}

/** Who decides on which request: a signed-in user, and the id in the path. */
export async function whoDecides(
  request: ConsoleRequest,
): Promise<{ session: Session; request_id: string; digest: Buffer }> {
  const session = await request.session()
  if (!session) throw unauthenticated('Nobody is signed in.')
  const { request_id = '' } = request.params
  const digest = digestOfRequestId(request_id)
  if (!digest) throw noSuchRequest()
  return { session, request_id, digest }
}

/** Unknown, expired and another session's requests read alike. */
export function noSuchRequest() {
  return notFound('There is no such request, or it is over. Start again from the application.')
}

export function requireUndecided(row: RequestRow): void {
  if (row.decided_at) throw invalidState('This request was decided already. Start again from the application.')
}

/**
 * Whether the client could still send this request: it may have been changed while the user thought, and what was taken
 * from it is not given any more, nor is the code sent to an address that is no longer its own.
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

export interface Choices {
  client: Client
  offers: Offer[]
  /** Of the offer's organization. */
  verdictOf(offer: Offer): 'verified' | 'blocked' | null
}

/** What the user allows, within what was offered; null when nothing of it is left, which is a denial. */
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

/** What can be chosen on the consent page; the same whether it is shown or decided upon. */
export async function choicesOf(
  { runtime, clients }: ConsentParts,
  row: RequestRow,
  session: Session,
  network: string,
): Promise<Choices> {
  const client = await clients.find(row.client_id, network).catch(refuseUnread)
  if (!client || !couldBeSent(client, row)) throw noSuchRequest()
  const { user_id, memberships, workers } = session
  const organization_ids = [...memberships, ...workers].map((place) => place.organization_id)
  const { verdicts, earlier } = await historyOf(runtime.database, {
    client_id: client.client_id,
    user_id,
    organization_ids,
  })
  const blocking = [...verdicts].flatMap(([organization_id, verdict]) =>
    verdict === 'blocked' ? [organization_id] : [],
  )
  return {
    client,
    offers: offersOf(session, { client, requested: row.scopes, blocking, earlier }),
    verdictOf: ({ organization_id }) => verdicts.get(organization_id) ?? null,
  }
}
