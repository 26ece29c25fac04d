import { scopes } from '#identity/scopes.ts'
import type { Addresses, Resource } from '../addresses.ts'

/** Protected resource metadata (RFC 9728 §2): where tokens for this resource come from. */
export function resourceMetadata({ api_host, auth_url, base_url, mcp_url }: Addresses, resource: Resource) {
  return {
    resource: resource === 'mcp' ? mcp_url : base_url,
    authorization_servers: [auth_url],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Stint',
    resource_documentation: `${api_host}/docs`,
  }
}
