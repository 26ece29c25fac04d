import type { FastifyInstance } from 'fastify'
import { authorizationEndpoint } from './authorize.ts'
import { type AuthorizationParts, openClients } from './clients/clients.ts'
import { consentEndpoints } from './consent.ts'
import { mountConsoleEndpoints } from './console-endpoint.ts'
import { introspectionEndpoint } from './introspect.ts'
import { invitationEndpoints } from './invitations.ts'
import { mountMetadata } from './metadata.ts'
import { mountOAuthEndpoints } from './oauth-endpoint.ts'
import { registrationEndpoint } from './register.ts'
import { revocationEndpoint } from './revoke.ts'
import { setUpEndpoints } from './set-up.ts'
import { signInEndpoints } from './sign-in.ts'
import { tokenEndpoint } from './token.ts'

const oauth = [authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint, introspectionEndpoint]

export type Authorization = ReturnType<typeof openAuthorization>

export function openAuthorization(parts: AuthorizationParts) {
  const flows = { ...parts, clients: openClients(parts) }
  return {
    /** Discovery documents and endpoints. */
    mountAuthorization(app: FastifyInstance): void {
      mountMetadata(app, flows)
      const opened = oauth.map((open) => open(flows))
      mountOAuthEndpoints(app, opened, parts)
      const of_pages = [...signInEndpoints, ...setUpEndpoints, ...invitationEndpoints, ...consentEndpoints]
      mountConsoleEndpoints(app, of_pages, flows)
    },
  }
}
