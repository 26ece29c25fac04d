import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hostForbidden, notFound } from '#core/problems.ts'
import { isAddressedTo, ownHostNames, pathOfTarget } from '#core/request-target.ts'

/** Every address the service issues. All come from the configuration, never from a header of a request. */
export interface Addresses {
  /** Origin of the REST API and the tool server. */
  api_host: string
  /** Origin of authorization server and console; it is the issuer (RFC 8414 §2), without a trailing slash. */
  auth_url: string
  base_url: string
  mcp_url: string
  /** Protected resource metadata (RFC 9728 §3.1) of either resource, as challenges name it. */
  rest_metadata: string
  mcp_metadata: string
}

/** A resource that a token is issued for (RFC 8707): the REST API, which covers provisioning, or the tool server. */
export type Resource = 'rest' | 'mcp'

export function addressesOf(api_host: string, auth_url: string | null): Addresses {
  const metadata = `${api_host}/.well-known/oauth-protected-resource`
  return {
    api_host,
    auth_url: auth_url ?? api_host,
    base_url: `${api_host}/rest/v2`,
    mcp_url: `${api_host}/mcp`,
    rest_metadata: `${metadata}/rest/v2`,
    mcp_metadata: `${metadata}/mcp`,
  }
}

/** Paths that exist at the authorization server, or at the REST API and the tool server; others at both. */
const auth_paths = /^\/(oauth|console)(\/|$)|^\/\.well-known\/oauth-authorization-server$/
const api_paths =
  /^\/(rest|mcp|scim|docs)(\/|$)|^\/openapi\.(json|yaml)$|^\/\.well-known\/oauth-protected-resource(\/|$)/

/** Paths that a foreign name must not reach, so that no page can rebind its name to us (RFC 9700 §4.13). */
const guarded_paths = /^\/(oauth|console)(\/|$)/

/**
 * Each path answers on its own host only, where the addresses differ; a `Host` that is not ours is refused where it could
 * be an attack. The header is compared and never used to make an address. The tool server has the same rule in its own
 * order of checks.
 */
export function mountHostRule(app: FastifyInstance, addresses: Addresses, listen_host: string): void {
  const { api_host, auth_url } = addresses
  const own = ownHostNames([api_host, auth_url], listen_host)
  const [api, auth] = [api_host, auth_url].map((origin) => ownHostNames([origin], ''))
  app.addHook('onRequest', async (request) => {
    const path = pathOf(request)
    if (guarded_paths.test(path) && !isAddressedTo(own, request.host)) throw hostForbidden()
    if (api_host === auth_url || !api || !auth) return
    const isStray =
      (auth_paths.test(path) && isAddressedTo(api, request.host)) ||
      (api_paths.test(path) && isAddressedTo(auth, request.host))
    if (isStray) throw notFound('There is nothing at this path.')
  })
}

/** The route of a request, however its path was spelled; the path itself where nothing stands. */
function pathOf({ routeOptions, raw }: FastifyRequest): string {
  return routeOptions.url ?? pathOfTarget(raw.url)
}
