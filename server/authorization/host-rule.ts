import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAddressedTo, ownHostNames } from '#core/own-hosts.ts'
import { hostForbidden, notFound } from '#core/problems/problems.ts'
import { pathOfTarget } from '#core/request-path.ts'
import type { Addresses } from './addresses.ts'

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

/** Where the router has brought the request, however its path was spelled; the path itself where nothing stands. */
function pathOf({ routeOptions, raw }: FastifyRequest): string {
  return routeOptions.url ?? pathOfTarget(raw.url)
}
