import type { Transaction } from '#db/database.ts'
import { violatedConstraint } from '#db/errors.ts'
import { answerOf, checkDeclared, refusalFrame, refusalOf, replayOf } from './answer.ts'
import { recordAudit } from './audit.ts'
import type { Answer, Call, Input } from './call.ts'
import { createContext, type Effects } from './context.ts'
import { idempotentCall, keepAnswer, keptAnswer } from './idempotency.ts'
import { recordEvents } from './outbox.ts'
import { problemOfConstraint } from './problems/constraint.ts'
import { Problem } from './problems/problem.ts'
import type { Runtime } from './runtime.ts'

/** Refusals that were decided after validation and are kept for repeats (domain rules on Idempotency-Key). */
const keptStatuses = new Set([404, 409, 422])

/** Handles a change with everything that belongs to it: events, deliveries and the audit line. */
export async function perform(runtime: Runtime, call: Call, input: Input, tx: Transaction): Promise<Answer> {
  const { definition } = call.operation
  const { context, effects } = createContext(runtime, call, tx, input)
  try {
    const output = await definition.handle(input, context)
    await settle(runtime, call, input, output, tx, effects)
    return answerOf(runtime, call, input, output)
  } catch (error) {
    const problem = problemOfConstraint(violatedConstraint(error), error)
    checkDeclared(runtime, definition, problem)
    throw problem
  }
}

/** The same under an Idempotency-Key: a repeat gets the kept answer, and a refusal undoes the work but is kept too. */
export async function performOnce(runtime: Runtime, call: Call, input: Input, tx: Transaction): Promise<Answer> {
  const { operation, caller, idempotency_key = '' } = call
  const pathValues = [...operation.path_fields].map((name) => input[name])
  const key = idempotentCall(caller, operation.definition, pathValues, idempotency_key, input)
  const kept = await keptAnswer(tx, key, runtime.secrets)
  if (kept) return replayOf(call, input, kept)
  try {
    const answer = await tx.attempt((inner) => perform(runtime, call, input, inner))
    await keepAnswer(tx, key, answer, runtime.secrets, operation.definition.reveals_secret ?? false)
    return answer
  } catch (error) {
    if (!(error instanceof Problem) || !keptStatuses.has(error.definition.status)) throw error
    const answer = { ...refusalFrame, ...refusalOf(runtime, error, call.request_id) }
    await keepAnswer(tx, key, answer, runtime.secrets, false)
    return answer
  }
}

/** Events and audit line are sent one behind the other without waiting: one round trip of latency instead of three. */
async function settle(
  runtime: Runtime,
  { caller, operation, request_id, trace_id, address, surface }: Call,
  input: Input,
  output: unknown,
  tx: Transaction,
  { events, subject, unchanged }: Effects,
): Promise<void> {
  if (unchanged && events.length > 0) throw new Error(`${operation.definition.id} tells of a change that it denies`)
  if (unchanged) return
  const { organization_id } = caller
  const { path_fields, definition } = operation
  const pathId = [...path_fields].map((name) => input[name]).at(-1)
  const fields = Object.keys(input).filter((name) => !path_fields.has(name))
  await Promise.all([
    recordEvents(tx, { organization_id, request_id, trace_id }, events, runtime.fanOut),
    recordAudit(tx, {
      organization_id,
      occurred_at: tx.now,
      actor: caller.actor,
      credential_id: caller.credential_id,
      action: definition.id,
      subject: {
        kind: subject.kind ?? definition.subject ?? definition.id.split('.')[0] ?? '',
        id: subject.id ?? idOf(output) ?? (pathId as string | undefined) ?? null,
      },
      changed_fields: subject.changed_fields ?? fields,
      request_id,
      address,
      surface,
    }),
  ])
}

function idOf(output: unknown): string | undefined {
  return typeof output === 'object' && output !== null && 'id' in output ? String(output.id) : undefined
}
