/** A resource that a token is issued for (RFC 8707): the REST API, which covers provisioning, or the tool server. */
export type Resource = 'rest' | 'mcp'

export type Addresses = ReturnType<typeof addressesOf>

/** Every address the service issues. All come from the configuration, never from a header of a request. */
export function addressesOf(api_host: string, auth_url: string | null) {
  const metadata = `${api_host}/.well-known/oauth-protected-resource`
  return {
    /** Origin of the REST API and the tool server. */
    api_host,
    /** Origin of authorization server and console; it is the issuer (RFC 8414 §2), without a trailing slash. */
    auth_url: auth_url ?? api_host,
    base_url: `${api_host}/rest/v2`,
    mcp_url: `${api_host}/mcp`,
    /** Protected resource metadata (RFC 9728 §3.1) of either resource, as challenges name it. */
    rest_metadata: `${metadata}/rest/v2`,
    mcp_metadata: `${metadata}/mcp`,
  }
}
