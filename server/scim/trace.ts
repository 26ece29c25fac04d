import type { FastifyInstance } from 'fastify'
import { recordAudit } from '#core/effects.ts'
import { type Answer, invoke, type Runtime } from '#core/invoke.ts'
import { counter } from '#core/metrics.ts'
import { isMutation } from '#core/operation.ts'
import { Problem } from '#core/problems.ts'
import { isId } from '#core/values.ts'

const requests = counter('scim_requests_total', 'Requests of provisioning.', ['op', 'status'])

/** Counts requests by operation and status (design 10). */
export function countRequests(app: FastifyInstance): void {
  app.addHook('onResponse', ({ operation: op = 'scim.other' }, reply, done) => {
    requests.inc({ op, status: reply.statusCode })
    done()
  })
}

/** Refusals of a write that the audit log tells too: somebody tried what it may not, or what would lock everybody out. */
const told: ReadonlySet<string> = new Set(['insufficient_scope', 'last_owner'])

/** Invokes an operation; a write that is refused for want of a right leaves its line, in a transaction of its own (design 10). */
export async function invokeTold(runtime: Runtime, call: Parameters<typeof invoke>[1]): Promise<Answer> {
  try {
    return await invoke(runtime, call)
  } catch (error) {
    const { definition } = call.operation
    if (error instanceof Problem && told.has(error.definition.code) && isMutation(definition)) {
      const { organization_id, actor, credential_id } = call.caller
      // The cast holds because the input of every operation of SCIM is an object.
      const { id } = call.input as { id?: unknown }
      await runtime.database.transaction({ role: 'app', organization_id }, async (tx) =>
        recordAudit(tx, {
          ...{ organization_id, actor, credential_id, action: `${definition.id}.refused` },
          subject: { kind: definition.subject ?? 'scim', id: typeof id === 'string' && isId(id) ? id : null },
          ...{ request_id: call.request_id, address: call.address, surface: call.surface },
        }),
      )
    }
    throw error
  }
}
