import type { FastifyInstance } from 'fastify'
import { defineProblem } from '#core/problem.ts'
import { notFound } from '#core/problems.ts'
import type { Addresses } from './addresses.ts'

export const hostForbidden = defineProblem({
  code: 'host_forbidden',
  status: 403,
  title: 'This host is not served',
  advice: 'Use an address that the documentation or the metadata of this service names.',
})

const loopback_names = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Paths that exist at the authorization server, or at the REST API and the tool server; others at both. */
const auth_paths = /^\/(oauth|console)(\/|$)|^\/\.well-known\/oauth-authorization-server$/
const api_paths = /^\/(rest|mcp|scim|docs)(\/|$)|^\/openapi\.json$|^\/\.well-known\/oauth-protected-resource(\/|$)/

/** Paths that a foreign name must not reach, so that no page can rebind its name to us (MCP transports, RFC 9700 §4.13). */
const guarded_paths = /^\/(oauth|console|mcp)(\/|$)/

/**
 * Each path answers on its own host only, where the addresses differ; a `Host` that is not ours is refused where it could
 * be an attack. The header is compared and never used to make an address.
 */
export function mountHostRule(app: FastifyInstance, addresses: Addresses, listen_host: string): void {
  const [api, auth] = [addresses.api_host, addresses.auth_url].map((origin) => new URL(origin).host)
  const takesLoopback = isLoopbackAddress(listen_host)
  app.addHook('onRequest', async (request) => {
    const path = pathOf(request.raw.url)
    const host = hostOf(request.host)
    const isOurs = host === api || host === auth || (takesLoopback && loopback_names.has(nameOf(host)))
    if (!isOurs && guarded_paths.test(path)) throw hostForbidden()
    if (api === auth) return
    if ((host === api && auth_paths.test(path)) || (host === auth && api_paths.test(path))) {
      throw notFound('There is nothing at this path.')
    }
  })
}

function isLoopbackAddress(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)
}

/** As an origin has it: lower case, without the port that https implies. */
function hostOf(header: string): string {
  return header.toLowerCase().replace(/:443$/, '')
}

function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '')
}

function pathOf(url = ''): string {
  const [path = ''] = url.split('?')
  return path
}
