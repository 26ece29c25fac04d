import type { FastifyInstance } from 'fastify'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import { authorizationEndpoint } from './authorize.ts'
import { authorizationExpired } from './cleanup.store.ts'
import { type ClientParts, openClients } from './clients/clients.ts'
import { consentEndpoints } from './consent.ts'
import { mountConsoleEndpoints } from './console-endpoint.ts'
import { introspectionEndpoint } from './introspect.ts'
import { mountMetadata } from './metadata.ts'
import { type EndpointParts, mountOAuthEndpoints } from './oauth-endpoint.ts'
import { registrationEndpoint } from './register.ts'
import { revocationEndpoint } from './revoke.ts'
import { setUpEndpoints } from './set-up.ts'
import { signInEndpoints } from './sign-in.ts'
import { tokenEndpoint } from './token.ts'

/** Parts of the authorization server; the composition root puts it together. */
export interface AuthorizationParts extends EndpointParts, ClientParts {
  /** Days that a permission given by a user lasts. */
  grant_days: number
}

export interface Authorization {
  /** Discovery documents and endpoints. */
  mountAuthorization(app: FastifyInstance): void
  /** Rows that are kept for a time only. */
  expired: ExpiredRows[]
}

export function openAuthorization(parts: AuthorizationParts): Authorization {
  const { addresses, runtime } = parts
  const clients = openClients(parts)
  const flows = { ...parts, clients }
  const pages = { ...parts, database: runtime.database, secrets: runtime.secrets, auth_url: addresses.auth_url }
  const endpoints = [authorizationEndpoint, tokenEndpoint, revocationEndpoint, introspectionEndpoint]
  return {
    expired: authorizationExpired(runtime),
    mountAuthorization(app) {
      mountMetadata(app, { addresses, registry: runtime.registry, offersDocuments: clients.offersDocuments })
      mountOAuthEndpoints(app, [registrationEndpoint(runtime), ...endpoints.map((open) => open(flows))], parts)
      const console = [...signInEndpoints(pages), ...setUpEndpoints(pages), ...consentEndpoints(flows)]
      mountConsoleEndpoints(app, console, pages)
    },
  }
}

export { type Addresses, addressesOf } from './addresses.ts'
export { noteNeededScope } from './grants.ts'
