import type { Registry } from '#core/registry.ts'
import type { Addresses, Resource } from '../addresses.ts'
import { scopesOfOperations, scopesOfTools } from './supported-scopes.ts'

/** Protected resource metadata (RFC 9728 §2): where tokens for this resource come from. */
export function resourceMetadata(
  { api_host, auth_url, base_url, mcp_url }: Addresses,
  registry: Registry,
  resource: Resource,
) {
  return {
    resource: resource === 'mcp' ? mcp_url : base_url,
    authorization_servers: [auth_url],
    scopes_supported: resource === 'mcp' ? scopesOfTools(registry) : scopesOfOperations(registry),
    bearer_methods_supported: ['header'],
    resource_name: 'Stint',
    resource_documentation: `${api_host}/docs`,
  }
}
