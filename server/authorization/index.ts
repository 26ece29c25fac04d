import type { FastifyInstance } from 'fastify'
import type { Runtime } from '#core/invoke.ts'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import type { Addresses } from './addresses.ts'
import { authorizationEndpoint } from './authorize.ts'
import { authorizationExpired } from './cleanup.ts'
import type { DocumentSetting } from './clients/client-documents.ts'
import type { GuardedGet } from './clients/guarded-get.ts'
import { openClients } from './clients/open-clients.ts'
import { type ConsentParts, consentEndpoints } from './consent.ts'
import { type ConsoleEndpoint, type ConsoleParts, mountConsoleEndpoints } from './console-endpoint.ts'
import { introspectionEndpoint } from './introspect.ts'
import { mountMetadata } from './metadata.ts'
import { type EndpointParts, mountOAuthEndpoints, type OAuthEndpoint } from './oauth-endpoint.ts'
import { revocationEndpoint } from './revoke.ts'
import { setUp, showSetUp } from './set-up.ts'
import { showSession, signInEndpoint, signOut } from './sign-in.ts'
import { tokenEndpoint } from './token.ts'

/** Parts of the authorization server; the composition root puts it together. */
export interface AuthorizationParts extends EndpointParts {
  runtime: Runtime
  addresses: Addresses
  /** Reads the documents and key sets of clients, through the egress guard. */
  get: GuardedGet
  /** Days that a permission given by a user lasts. */
  grant_days: number
  /** Says whether clients may be described by documents on the Internet. */
  client_documents: DocumentSetting
}

export interface Authorization {
  /** Discovery documents and endpoints. */
  mountAuthorization(app: FastifyInstance): void
  /** Rows that are kept for a time only. */
  expired: ExpiredRows[]
}

export function openAuthorization(parts: AuthorizationParts): Authorization {
  const { addresses, runtime, networkOf } = parts
  const clients = openClients(runtime, addresses, parts)
  const flows = { runtime, addresses, clients, grant_days: parts.grant_days }
  const pages = { database: runtime.database, secrets: runtime.secrets, auth_url: addresses.auth_url, networkOf }
  return {
    expired: authorizationExpired(runtime),
    mountAuthorization(app) {
      mountMetadata(app, { addresses, registry: runtime.registry, offersDocuments: clients.offersDocuments })
      mountOAuthEndpoints(app, [...clients.endpoints, ...flowEndpoints(flows)], parts)
      mountConsoleEndpoints(app, [...signInEndpoints(pages), ...consentEndpoints(flows)], pages)
    },
  }
}

function flowEndpoints(parts: ConsentParts): OAuthEndpoint[] {
  return [authorizationEndpoint(parts), tokenEndpoint(parts), revocationEndpoint(parts), introspectionEndpoint(parts)]
}

export { type Addresses, addressesOf, mountHostRule } from './addresses.ts'
export { noteNeededScopes } from './grants.ts'

/** Endpoints of the pages for signing in and setting up. */
function signInEndpoints(parts: ConsoleParts): ConsoleEndpoint[] {
  return [signInEndpoint(parts), showSession(parts), signOut(parts), showSetUp(parts), setUp(parts)]
}
