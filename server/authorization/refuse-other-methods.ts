import type { FastifyInstance, HTTPMethods } from 'fastify'
import { methodNotAllowed } from '#core/problems/problems.ts'

/** Whatever else is asked of a path is 405, with what is allowed there in `Allow` (RFC 9110 §15.5.6). */
export function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)) as HTTPMethods[],
    url: path,
    onRequest: async () => {
      throw methodNotAllowed(undefined, { headers: { Allow: allowed.join(', ') } })
    },
    handler: () => undefined,
  })
}
