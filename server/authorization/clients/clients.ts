import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { Runtime } from '#core/invoke.ts'
import { unavailable } from '#core/problems.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { createSemaphore } from '#core/semaphore.ts'
import type { GuardedGet } from '#outbound/guarded-get.ts'
import type { Addresses } from '../addresses.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError } from '../parameters.ts'
import { isSecretOf, lookUpClient, noteAssertion, noteClientUse, use_noted_every_ms } from './client.store.ts'
import { type AuthMethod, type FoundClient, invalidClient } from './client.ts'
import { createAssertions } from './client-assertion.ts'
import { createDocumentClients, type DocumentSetting, documentAddress } from './client-documents.ts'

const requests_per_min_max = 600
const failures_per_10_min_max = 60
/** Of all clients together, so that inventing ids makes no fresh windows; an office behind one address stays below. */
const failures_of_network_per_10_min_max = 600

/** Proofs at once from networks that failed too often: what they get of the database and of the processor. */
const suspects_running_max = 2
const suspects_waiting_max = 10_000

export interface AuthenticatedClient {
  client: FoundClient
  /** The proof of its identity; `none` proves nothing. */
  method: AuthMethod
}

/** Parts of the authorization server; the composition root puts it together. */
export interface AuthorizationParts {
  runtime: Runtime
  addresses: Addresses
  /** Reads the documents and key sets of clients, through the egress guard. */
  get: GuardedGet
  /** Says whether clients may be described by documents on the Internet. */
  client_documents: DocumentSetting
  /** Days that a permission given by a user lasts. */
  grant_days: number
  /** The network of an address, as limits count: a caller with one IPv6 address has the /64 around it. */
  networkOf(address: string): string
}

/** The same with the clients, for the endpoints of the flows. */
export interface FlowParts extends AuthorizationParts {
  clients: ReturnType<typeof openClients>
}

/** Answers what the endpoints ask about clients. */
export function openClients({ runtime, addresses, get, client_documents }: AuthorizationParts) {
  const { database, clock, log } = runtime
  const documents = createDocumentClients({ database, clock, log, get }, client_documents)
  const assertions = createAssertions(addresses, { clock, log, get })
  const { inTurn, requests, ...counts } = createCounts(clock.now)

  /** The client of this id, of whichever kind, or undefined; a document that is not fresh is read again first. */
  const find = async (client_id: string, network: string): Promise<FoundClient | undefined> => {
    if (client_id.length > client_id_characters_max || client_id.includes('\0')) return undefined
    // An address rather than an id of ours.
    const isDocument = client_id.includes('://')
    if (isDocument && !documentAddress(client_id)) return undefined
    const known = await lookUpClient(database, client_id)
    if (!isDocument || known?.document_fresh) return known
    const unread = await documents.refresh(client_id, known ? null : network)
    if (!unread) return lookUpClient(database, client_id)
    // Its own server is away: what it last said holds for a day.
    if (known?.document_usable) return known
    throw unread
  }

  /** Proves that a request comes from the client it names, in the way that client is registered for. */
  const prove = async (presented: Presented, network: string): Promise<FoundClient> => {
    const { client_id, method } = presented
    const client = await find(client_id, network)
    // A client is held to its method: who knows the id of one with a secret cannot come without (RFC 6749 §10.1).
    if (!client?.auth_methods.includes(method)) throw invalidClient()
    // Nothing to check and nothing to write: a token request of a public client costs one transaction less.
    if (method === 'none' && wasUsedLately(client)) return client
    const assertion = method === 'private_key_jwt' && (await assertions.verify(client, presented.assertion, network))
    await database.transaction({ role: 'lookup' }, async (tx) => {
      if ('secret' in presented && !(await isSecretOf(tx, client_id, presented.secret))) throw invalidClient()
      if (assertion && !(await noteAssertion(tx, client_id, assertion))) throw invalidClient()
      await noteClientUse(tx, client_id)
    })
    return client
  }

  return {
    find,
    /** Returns true when a client may be described by a document at this moment, as the metadata say. */
    offersDocuments: documents.isOffered,
    ...counts,
    /** Proves who sends this request (RFC 6749 §2.3); throws `invalid_client`. */
    async authenticate(request: OAuthRequest): Promise<AuthenticatedClient> {
      const presented = presentedCredentials(request)
      const { client_id, method } = presented
      try {
        const client = await inTurn(client_id, request.network, () => prove(presented, request.network))
        // A public client proves nothing, and many programs share one: of it only what was refused is counted.
        if (method !== 'none') requests.take(client_id)
        return { client, method }
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') {
          counts.noteFailure(client_id, request.network)
        }
        throw error
      }
    },
  }
}

/** Counts what clients do and fail. None is refused because of others: where too much failed, its proof waits for theirs. */
function createCounts(now: () => number) {
  const limit = (name: string, requests_max: number, window_s: number) =>
    createRateLimit(name, { requests_max, window_s, now })
  const requests = limit('clients', requests_per_min_max, 60)
  const failures = limit('failures', failures_per_10_min_max, 600)
  const failures_of_network = limit('failures_of_network', failures_of_network_per_10_min_max, 600)
  const suspects = createSemaphore({
    running_max: suspects_running_max,
    waiting_max: suspects_waiting_max,
    refusal: () => unavailable('Too many clients are being looked up at this moment.'),
  })
  // Short, whatever is sent as an id: counting must not fill the memory.
  const keyOf = (client_id: string, network: string) =>
    `${network} ${createHash('sha256').update(client_id).digest('base64')}`
  return {
    requests,
    inTurn<Result>(client_id: string, network: string, work: () => Promise<Result>): Promise<Result> {
      const isSuspect = failures_of_network.isSpent(network) || failures.isSpent(keyOf(client_id, network))
      return isSuspect ? suspects.run(work) : work()
    },
    /** Counts a code or token of this client that was refused, against the network it came from; throws beyond the limit. */
    noteFailure(client_id: string, network: string): void {
      // First, so that a network that has none left pushes no window of a client out.
      failures_of_network.take(network)
      failures.take(keyOf(client_id, network))
    },
    /** Counts what was refused to a client, which only for one that proves nothing was not counted before. */
    noteRefusal({ client, method }: AuthenticatedClient, network: string): void {
      if (method === 'none') requests.take(keyOf(client.client_id, network))
    },
    /** Counts a use of a grant; throws beyond the limit. */
    countGrant: (grant_id: string) => void requests.take(grant_id),
  }
}

const client_id_characters_max = 2_048

/** Times are the database's, read where the client was found; `noteClientUse` writes once in this time. */
function wasUsedLately({ now, last_used_at }: FoundClient): boolean {
  return last_used_at !== null && Date.parse(now) - Date.parse(last_used_at) < use_noted_every_ms
}

/** The credential that a request presents for its client, before anything of it is believed. */
type Presented = { client_id: string } & (
  | { method: 'none' }
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; assertion: string }
)

const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const assertion_characters_max = 8_192

/** Reads the credential of a client; more than one of them is refused (RFC 6749 §2.3). */
function presentedCredentials({ authorization, parameters }: OAuthRequest): Presented {
  const client_id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  const assertion = parameters.get('client_assertion')
  const sent = [authorization, secret, assertion].filter((one) => one !== undefined)
  if (sent.length > 1) throw new OAuthError('invalid_request', 'client: must authenticate in one way only')
  if (authorization !== undefined) return basic(authorization, client_id)
  if (assertion !== undefined) return signed(assertion, parameters.get('client_assertion_type'), client_id)
  if (client_id === undefined) throw invalidClient()
  return secret === undefined ? { method: 'none', client_id } : { method: 'client_secret_post', client_id, secret }
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basic(authorization: string, named: string | undefined): Presented {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  const [client_id, secret] = parts.slice(1).map((part) => new URLSearchParams(`part=${part}`).get('part'))
  if (!client_id || !secret || (named !== undefined && named !== client_id)) throw invalidClient()
  return { method: 'client_secret_basic', client_id, secret }
}

/** RFC 7523 §2.2; without `client_id` the assertion says whose it is, which its signature then has to prove. */
function signed(assertion: string, type: string | undefined, named: string | undefined): Presented {
  if (type !== assertion_type || assertion.length > assertion_characters_max) throw invalidClient()
  try {
    const client_id: unknown = named ?? decodeJwt(assertion).sub
    if (typeof client_id === 'string' && client_id !== '') return { method: 'private_key_jwt', client_id, assertion }
  } catch (cause) {
    throw invalidClient(cause)
  }
  throw invalidClient()
}
