import { createHash } from 'node:crypto'
import { createRateLimit } from '#core/rate-limit.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Addresses } from '../addresses.ts'
import type { OAuthEndpoint } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import { authenticateClient } from './authenticate-client.ts'
import type { Clients } from './client.ts'
import { createDocumentClients } from './document-clients.ts'
import type { DocumentSetting } from './document-offer.ts'
import { findClient } from './find-client.ts'
import type { GuardedGet } from './guarded-get.ts'
import { createKeySets } from './key-sets.ts'
import { presentedCredentials } from './presented-credentials.ts'
import { registrationEndpoint } from './register-client.ts'

const requests_per_min_max = 600
const failures_per_10_min_max = 60
/** Of all clients together, so that inventing ids makes no fresh windows; an office behind one address stays below. */
const failures_of_network_per_10_min_max = 600

/** Short, whatever is sent as an id: counting must not fill the memory. */
function keyOf(client_id: string, network: string): string {
  return `${network} ${createHash('sha256').update(client_id).digest('base64')}`
}

interface Failures {
  /** Throws when nothing is left, before anything is looked up. */
  check(client_id: string, network: string): void
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
    check(client_id, network) {
      ofNetwork.check(network)
      ofClient.check(keyOf(client_id, network))
    },
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

  const find: Clients['find'] = (client_id, network) => findClient({ database, documents }, client_id, network)
  return {
    endpoints: [registrationEndpoint(runtime)],
    offersDocuments: documents.isOffered,
    find,
    noteFailure: failures.note,
    async authenticate(request) {
      const presented = presentedCredentials(request)
      const { client_id, method } = presented
      failures.check(client_id, request.network)
      try {
        const found = await findClient({ database, documents }, client_id, request.network)
        const client = await authenticateClient(parts, found, presented, request.network)
        // A public client proves nothing, and many programs share one: who floods in its name stops the own network only.
        requests.take(method === 'none' ? keyOf(client_id, request.network) : client_id)
        return { client, method }
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') failures.note(client_id, request.network)
        throw error
      }
    },
  }
}
