import type { Addresses, Resource } from './addresses.ts'
import { OAuthError } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'

const address_form = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?$/i

/** Our own filters on the tool server's address, which clients keep when they name the resource. */
const filters = new Set(['toolsets', 'readonly'])

/** The resource that a request names (RFC 8707 §2); undefined when it names none. Several are several grants. */
export function resourceIn(parameters: Parameters, addresses: Addresses): Resource | undefined {
  const named = new Set(parameters.all('resource').map((text) => resourceAt(text, addresses)))
  const [resource, ...more] = named
  if (named.size === 0) return undefined
  if (resource === undefined || resource === null || more.length > 0) {
    throw new OAuthError('invalid_target', 'resource: must be the address of one resource of this server')
  }
  return resource
}

/** Scheme and host in any case, with or without one slash at the end. A bare origin is not enough: two resources live there. */
function resourceAt(text: string, { base_url, mcp_url }: Addresses): Resource | null {
  const [, origin = '', path = '', query] = address_form.exec(text) ?? []
  const address = `${origin.toLowerCase()}${path.endsWith('/') ? path.slice(0, -1) : path}`
  if (address === mcp_url && isFilter(query)) return 'mcp'
  return address === base_url && query === undefined ? 'rest' : null
}

function isFilter(query: string | undefined): boolean {
  return query === undefined || [...new URLSearchParams(query).keys()].every((name) => filters.has(name))
}
