import type { FastifyInstance } from 'fastify'
import { methodNotAllowed } from '#core/problems.ts'
import { pathOfTarget } from '#core/request-path.ts'

type Methods = ReadonlySet<string>

/**
 * Whatever else is asked of a path that the application has is 405, with what is allowed there in `Allow` (RFC 9110
 * §15.5.6). Looked for when it is asked: a route for every other method of every path would take a tenth of each start.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const methodsOf = new Map<string, Methods>()
  app.addHook('onRoute', ({ url, method }) => {
    // What lies below a wildcard is known to its handler only.
    if (!url.includes('*')) methodsOf.set(url, new Set([...(methodsOf.get(url) ?? []), method].flat()))
  })
  // After the hooks that name the request and check its host, and before its body is read.
  app.addHook('preParsing', ({ is404, method, raw, routeOptions }, _, payload, done) => {
    // A route without parameters was found by its own path.
    if (!is404 && !routeOptions.url?.includes(':')) return done(null, payload)
    const path = pathOfTarget(raw.url)
    // The path itself first: to the router, `/webhooks/events` is also a webhook of that id.
    const known = methodsOf.get(path) ?? (is404 ? methodsFitting(methodsOf, path) : undefined)
    if (!known?.size || known.has(method)) return done(null, payload)
    done(methodNotAllowed(undefined, { headers: { Allow: [...known].sort().join(', ') } }))
  })
}

function methodsFitting(methodsOf: ReadonlyMap<string, Methods>, path: string): Methods {
  return new Set([...methodsOf].flatMap(([template, methods]) => (fits(path, template) ? [...methods] : [])))
}

function fits(path: string, template: string): boolean {
  const parts = path.split('/')
  const names = template.split('/')
  return (
    parts.length === names.length && names.every((name, at) => (name.startsWith(':') ? parts[at] : name === parts[at]))
  )
}
