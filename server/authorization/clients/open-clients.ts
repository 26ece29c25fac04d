import { createHash } from 'node:crypto'
import { createRateLimit } from '#core/rate-limit.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Addresses } from '../addresses.ts'
import type { OAuthEndpoint } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import { authenticateClient } from './authenticate-client.ts'
import type { Clients } from './client.ts'
import { createDocumentClients } from './document-clients.ts'
import { findClient } from './find-client.ts'
import type { GuardedGet } from './guarded-get.ts'
import { createKeySets } from './key-sets.ts'
import { presentedCredentials } from './presented-credentials.ts'
import { registrationEndpoint } from './register-client.ts'

const requests_per_min_max = 600
const failures_per_10_min_max = 60

/** Short, whatever is sent as an id: counting must not fill the memory. */
function keyOf(client_id: string, network: string): string {
  return `${network} ${createHash('sha256').update(client_id).digest('base64')}`
}

/** Opens the clients' folder: how clients are found and proven, and the endpoint where they register. */
export function openClients(
  runtime: Runtime,
  addresses: Addresses,
  get: GuardedGet,
): Clients & { endpoints: OAuthEndpoint[] } {
  const { database, clock, log } = runtime
  const now = () => clock.now()
  const documents = createDocumentClients({ database, clock, log, get })
  const parts = { runtime, addresses, keySets: createKeySets({ clock, log, get }) }
  const requests = createRateLimit('clients', { requests_max: requests_per_min_max, window_s: 60, now })
  const failures = createRateLimit('failures', { requests_max: failures_per_10_min_max, window_s: 600, now })

  const find: Clients['find'] = (client_id, network) => findClient({ database, documents }, client_id, network)
  const noteFailure: Clients['noteFailure'] = (client_id, network) => void failures.take(keyOf(client_id, network))
  return {
    endpoints: [registrationEndpoint(runtime)],
    find,
    noteFailure,
    async authenticate(request) {
      const presented = presentedCredentials(request)
      const { client_id, method } = presented
      failures.check(keyOf(client_id, request.network))
      try {
        const found = await findClient({ database, documents }, client_id, request.network)
        const client = await authenticateClient(parts, found, presented, request.network)
        // A public client proves nothing, and many programs share one: who floods in its name stops the own network only.
        requests.take(method === 'none' ? keyOf(client_id, request.network) : client_id)
        return { client, method }
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') noteFailure(client_id, request.network)
        throw error
      }
    },
  }
}
