import type { Transaction } from '#db/database.ts'
import { violatedConstraint } from '#db/errors.ts'
import { answerOf, checkDeclared, replayOf } from './answer.ts'
import { recordAudit } from './audit.ts'
import { authorise } from './authorise.ts'
import type { Answer, Call, Input } from './call.ts'
import { createContext, type Effects } from './context.ts'
import { entityTag, refuseOutdated } from './entity-tag.ts'
import { idempotentCall, type KeptAnswer, keepAnswer, keptAnswer } from './idempotency.ts'
import type { Context } from './operation.ts'
import { recordEvents } from './outbox.ts'
import { problemOfConstraint } from './problems/constraint.ts'
import type { Runtime } from './runtime.ts'

/** Handles a change with everything that belongs to it: events, deliveries and the audit line. */
export async function perform(runtime: Runtime, call: Call, input: Input, tx: Transaction): Promise<Answer> {
  const { definition } = call.operation
  const { context, effects } = createContext(runtime, call, tx, input)
  try {
    await holdTo(call, input, context)
    const output = await definition.handle(input, context)
    await settle(runtime, call, input, output, tx, effects)
    return answerOf(runtime, call, input, output)
  } catch (error) {
    const problem = problemOfConstraint(violatedConstraint(error), error)
    checkDeclared(runtime, definition, problem)
    throw problem
  }
}

/**
 * Holds a change to what its caller has read (RFC 9110 §13.1.1): the resource is locked first, so that what is compared
 * is what the change is then made to. Whoever may not read it has nothing to compare with.
 */
async function holdTo({ operation: { target }, caller, conditions = {} }: Call, input: Input, context: Context) {
  if (conditions.if_match === undefined && conditions.if_none_match === undefined) return
  if (!target) return refuseOutdated(conditions, null)
  const { definition, path_fields, sensitive } = target
  authorise(caller, definition)
  const path = Object.fromEntries([...path_fields].map((name) => [name, input[name]]))
  await definition.lock?.(path, context)
  const shown = sensitive.withhold(await definition.handle(path, context), caller.sensitive_data)
  refuseOutdated(conditions, entityTag(target, shown))
}

/** The same under an Idempotency-Key: a repeat gets the kept answer. A refused call changed nothing, its key too. */
export async function performOnce(runtime: Runtime, call: Call, input: Input, tx: Transaction): Promise<Answer> {
  const { operation, caller, idempotency_key = '' } = call
  const pathValues = [...operation.path_fields].map((name) => input[name])
  const writes_withheld = operation.sensitive.names(input, caller.sensitive_data)
  const key = idempotentCall(caller, operation.definition, pathValues, idempotency_key, { input, writes_withheld })
  const kept = await keptAnswer(tx, key, runtime.secrets)
  if (kept) return repeat(runtime, call, input, kept, tx)
  const answer = await perform(runtime, call, input, tx)
  const field = operation.definition.reveals_secret?.field
  const { [field ?? '']: secret = null, ...rest } = (answer.body ?? {}) as Record<string, unknown>
  const body = field === undefined ? answer.body : { ...rest, [field]: null }
  await keepAnswer(tx, key, { status: answer.status, body, secret: secret as string | null }, runtime.secrets)
  return answer
}

/** A secret is told again only while it still is one. */
async function repeat(
  { secrets }: Runtime,
  call: Call,
  input: Input,
  { secret, ...kept }: KeptAnswer,
  tx: Transaction,
): Promise<Answer> {
  const { reveals_secret } = call.operation.definition
  if (!reveals_secret || secret === null) return replayOf(call, input, kept)
  const body = { ...(kept.body as object), [reveals_secret.field]: secret }
  const stands = await reveals_secret.stands?.(body, { tx, secrets, caller: call.caller })
  return replayOf(call, input, stands ? { ...kept, body } : kept)
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
