import type { Registry } from '#core/registry.ts'
import type { Addresses } from '../addresses.ts'
import { assertionAlgorithms, authMethods, grantTypes } from '../clients/auth-methods.ts'
import { scopesOfServer } from './supported-scopes.ts'

/** Authorization server metadata (RFC 8414 §2). There is no OpenID provider here, and so no configuration of one. */
export function serverMetadata(
  { api_host, auth_url, base_url, mcp_url }: Addresses,
  registry: Registry,
  offers_documents: boolean,
) {
  return {
    issuer: auth_url,
    authorization_endpoint: `${auth_url}/oauth/authorize`,
    token_endpoint: `${auth_url}/oauth/token`,
    registration_endpoint: `${auth_url}/oauth/register`,
    revocation_endpoint: `${auth_url}/oauth/revoke`,
    introspection_endpoint: `${auth_url}/oauth/introspect`,
    scopes_supported: scopesOfServer(registry),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    // A public client proves nothing, and is told nothing.
    introspection_endpoint_auth_methods_supported: authMethods.filter((method) => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    client_id_metadata_document_supported: offers_documents,
    protected_resources: [mcp_url, base_url],
    service_documentation: `${api_host}/docs`,
  }
}
