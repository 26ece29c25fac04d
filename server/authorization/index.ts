import type { FastifyInstance } from 'fastify'
import type { Runtime } from '#core/runtime.ts'
import type { Addresses } from './addresses.ts'
import { mountConsoleEndpoints } from './console-endpoint.ts'
import { mountMetadata } from './metadata/mount-metadata.ts'
import { type EndpointParts, mountOAuthEndpoints, type OAuthEndpoint } from './oauth-endpoint.ts'
import { signInEndpoints } from './sign-in/index.ts'

/** What the authorization server is made of; the composition root puts it together. */
export interface AuthorizationParts extends EndpointParts {
  runtime: Runtime
  addresses: Addresses
}

export interface Authorization {
  /** Discovery documents and endpoints. */
  mountAuthorization(app: FastifyInstance): void
}

export function openAuthorization(parts: AuthorizationParts): Authorization {
  const endpoints: OAuthEndpoint[] = []
  const { addresses, runtime, networkOf } = parts
  const pages = { database: runtime.database, auth_url: addresses.auth_url, networkOf }
  return {
    mountAuthorization(app) {
      mountMetadata(app, parts.addresses)
      mountOAuthEndpoints(app, endpoints, parts)
      mountConsoleEndpoints(app, signInEndpoints(pages), pages)
    },
  }
}

export { type Addresses, addressesOf } from './addresses.ts'
export { mountHostRule } from './host-rule.ts'
