import type { FastifyInstance } from 'fastify'
import type { Problem } from '#core/problems/problem.ts'
import type { Runtime } from '#core/runtime.ts'
import { noteNeededScope } from './grant.store.ts'

/**
 * Keeps what a client was challenged for (step-up, RFC 6750 §3.1), at the REST API and the tool server alike, before it is
 * told: when it comes back to ask its user, the consent page knows what it needs from what it would like.
 */
export function noteNeededScopes(app: FastifyInstance, { database, log }: Pick<Runtime, 'database' | 'log'>): void {
  app.addHook('onSend', (request, _, payload, done) => {
    const { caller, problem } = request
    const [scope] = problem?.definition.code === 'insufficient_scope' ? scopesAskedFor(problem) : []
    if (scope === undefined || caller?.grant_id === undefined) return done(null, payload)
    const { organization_id, grant_id } = caller
    database
      .transaction({ role: 'app', organization_id }, (tx) => noteNeededScope(tx, { organization_id, grant_id, scope }))
      // The refusal stands without it; the user ticks one box more.
      .catch((err: unknown) => log.warn({ err }, 'needed_scope_lost'))
      .finally(() => done(null, payload))
  })
}

/** As the challenges name them: the least first. */
function scopesAskedFor({ details }: Problem): string[] {
  return [...((details.members?.required_scopes as string[] | undefined) ?? [])].sort()
}
