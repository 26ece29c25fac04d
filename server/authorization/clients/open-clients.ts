import { createHash } from 'node:crypto'
import type { Runtime } from '#core/invoke.ts'
import { unavailable } from '#core/problems.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { createSemaphore } from '#core/semaphore.ts'
import type { Database } from '#db/database.ts'
import type { Addresses } from '../addresses.ts'
import type { OAuthEndpoint } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import { registrationEndpoint } from '../register.ts'
import { lookUpClient } from './client.store.ts'
import type { Clients, FoundClient } from './client.ts'
import { authenticateClient, presentedCredentials } from './client-authentication.ts'
import {
  createDocumentClients,
  type DocumentClients,
  type DocumentSetting,
  documentAddress,
  looksLikeAddress,
  UnreadDocument,
} from './client-documents.ts'
import { createKeySets } from './client-keys.ts'
import type { GuardedGet } from './guarded-get.ts'

const requests_per_min_max = 600
const failures_per_10_min_max = 60
/** Of all clients together, so that inventing ids makes no fresh windows; an office behind one address stays below. */
const failures_of_network_per_10_min_max = 600

/** Proofs at once from networks that failed too often: what they get of the database and of the processor. */
const suspects_running_max = 2
const suspects_waiting_max = 10_000

/** Short, whatever is sent as an id: counting must not fill the memory. */
function keyOf(client_id: string, network: string): string {
  return `${network} ${createHash('sha256').update(client_id).digest('base64')}`
}

interface Failures {
  isSpent(client_id: string, network: string): boolean
  note: Clients['noteFailure']
}

/** Failed authentications and refused codes and tokens: of a client at a network, and of the network alone. */
function openFailures(now: () => number): Failures {
  const ofNetwork = createRateLimit('failures_of_network', {
    requests_max: failures_of_network_per_10_min_max,
    window_s: 600,
    now,
  })
  const ofClient = createRateLimit('failures', { requests_max: failures_per_10_min_max, window_s: 600, now })
  return {
    isSpent: (client_id, network) => ofNetwork.isSpent(network) || ofClient.isSpent(keyOf(client_id, network)),
    note(client_id, network) {
      // First, so that a network that has none left pushes no window of a client out.
      ofNetwork.take(network)
      ofClient.take(keyOf(client_id, network))
    },
  }
}

/** Opens the clients' folder: how clients are found and proven, and the endpoint where they register. */
export function openClients(
  runtime: Runtime,
  addresses: Addresses,
  { get, client_documents }: { get: GuardedGet; client_documents: DocumentSetting },
): Clients & { endpoints: OAuthEndpoint[] } {
  const { database, clock, log } = runtime
  const now = () => clock.now()
  const documents = createDocumentClients({ database, clock, log, get, setting: client_documents })
  const parts = { runtime, addresses, keySets: createKeySets({ clock, log, get }) }
  const requests = createRateLimit('clients', { requests_max: requests_per_min_max, window_s: 60, now })
  const failures = openFailures(now)
  // A client is never refused because of others: where too much failed before, its proof waits behind theirs.
  const suspects = createSemaphore({
    running_max: suspects_running_max,
    waiting_max: suspects_waiting_max,
    refusal: () => unavailable('Too many clients are being looked up at this moment.'),
  })

  const find: Clients['find'] = (client_id, network) => findClient({ database, documents }, client_id, network)
  return {
    endpoints: [registrationEndpoint(runtime)],
    offersDocuments: documents.isOffered,
    find,
    noteFailure: failures.note,
    noteRefusal({ client, method }, network) {
      if (method === 'none') requests.take(keyOf(client.client_id, network))
    },
    countGrant: (grant_id) => void requests.take(grant_id),
    async authenticate(request) {
      const presented = presentedCredentials(request)
      const { client_id, method } = presented
      const { network } = request
      const prove = async () =>
        authenticateClient(parts, await findClient({ database, documents }, client_id, network), presented, network)
      try {
        const client = await (failures.isSpent(client_id, network) ? suspects.run(prove) : prove())
        // A public client proves nothing, and many programs share one: of it only what was refused is counted.
        if (method !== 'none') requests.take(client_id)
        return { client, method }
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') failures.note(client_id, network)
        throw error
      }
    },
  }
}

const client_id_characters_max = 2_048

/** Finds the client of an id, of whichever kind; a document that is not fresh is read again first. */
async function findClient(
  { database, documents }: { database: Database; documents: DocumentClients },
  client_id: string,
  network: string,
): Promise<FoundClient | undefined> {
  if (client_id.length > client_id_characters_max || client_id.includes('\0')) return undefined
  const isDocument = looksLikeAddress(client_id)
  if (isDocument && !documentAddress(client_id)) return undefined
  const known = await lookUpClient(database, client_id)
  if (!isDocument || known?.document_fresh) return known
  if (!known) documents.countNew(network)
  const refreshed = await documents.refresh(client_id)
  if (refreshed === 'kept') return lookUpClient(database, client_id)
  // Its own server is away: what it last said holds for a day.
  if (known?.document_usable) return known
  throw new UnreadDocument(client_id, refreshed === 'refused' ? 'unusable' : refreshed)
}
