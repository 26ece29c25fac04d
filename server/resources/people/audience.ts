import type { TProperties, TSchema } from 'typebox'
import type { Caller } from '#core/caller.ts'
import type { EventType, Operation } from '#core/operation.ts'
import { defineProblem, type ProblemType, sandboxOnly } from '#core/problems.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { Closed } from '#core/schema/schema.ts'
import { workerOf } from './person.ts'

export const ownLoginRequired = defineProblem({
  code: 'own_login_required',
  status: 403,
  title: 'The worker has to do this itself',
  advice: 'Invite the worker to a login of its own; outside sandboxes a token that the client minted signs nothing.',
})

/** The rights and the refusals of each party that changes what belongs to a worker; in a sandbox the client acts for both. */
const audiences = {
  client: { scopes: ['contracts:write'], roles: ['owner', 'admin'], problems: [] },
  worker: { scopes: ['worker:write'], problems: [ownLoginRequired] },
  sandbox: { scopes: ['contracts:write'], roles: ['owner', 'admin'], problems: [sandboxOnly] },
} as const

/** An operation by which a party takes something of a worker a step further, without what follows from noun and party. */
export interface Step extends Pick<Operation, 'id' | 'summary' | 'description' | 'path' | 'tool'> {
  /** Default: the client. */
  audience?: keyof typeof audiences
  /** The input beside the ids of the path. */
  input?: TProperties
  problems: readonly ProblemType[]
  emits: readonly EventType[]
}

interface StepContext extends ReactionContext {
  /** The rows that the caller may change. */
  own: { organization_id: string; worker_id?: string }
  party: 'client' | 'worker'
}

/** Makes the operation of a step. The noun is named in the plural, as the id of its reading begins. */
export function defineStep(
  step: Step,
  noun: { name: string; path: TProperties; answer: TSchema },
  take: (values: object, context: StepContext) => Promise<object>,
): Operation {
  const { audience = 'client' } = step
  const { problems, ...rights } = audiences[audience]
  return {
    ...step,
    ...rights,
    method: 'POST',
    subject: noun.name,
    ...(audience === 'sandbox' && { acts_on: `${noun.name}.get` }),
    input: Closed({ ...noun.path, ...step.input }),
    output: noun.answer,
    problems: [...problems, ...step.problems],
    // Read when it is asked for: those who react to a step are known once every noun is loaded.
    get emits() {
      return step.emits
    },

    handle(values, { caller, ...context }) {
      const party = audience === 'client' ? 'client' : 'worker'
      return take(values, { ...context, own: ownRows(audience, caller), party, actor: caller.actor })
    },
  }
}

/** In a live organization the worker needs its own login: a token of the client's making would be the client acting for it. */
function ownRows(audience: keyof typeof audiences, caller: Caller): StepContext['own'] {
  const { organization_id, kind, is_sandbox } = caller
  if (audience === 'sandbox' && !is_sandbox) throw sandboxOnly()
  if (audience !== 'worker') return { organization_id }
  if (kind === 'worker' && !is_sandbox) throw ownLoginRequired()
  return { organization_id, worker_id: workerOf(caller) }
}
