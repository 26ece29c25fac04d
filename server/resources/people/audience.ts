import type { Caller, Scope, ScopeResources } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import { defineProblem, sandboxOnly } from '#core/problems.ts'
import { workerOf } from './person.ts'

/** Parties that change what belongs to a worker: the client, the worker, or in a sandbox the client in the worker's place. */
export type Audience = 'client' | 'worker' | 'sandbox'

export const ownLoginRequired = defineProblem({
  code: 'own_login_required',
  status: 403,
  title: 'The worker has to do this itself',
  advice: 'Invite the worker to a login of its own; outside sandboxes a token that the client minted signs nothing.',
})

/** The rights and refusals of an operation that changes rows of the resource. */
export function openTo(
  audience: Audience,
  resource: keyof ScopeResources & string,
): Required<Pick<Operation, 'scopes' | 'problems'>> & Pick<Operation, 'roles'> {
  if (audience === 'worker') return { scopes: ['worker:write'], problems: [ownLoginRequired] }
  const scope: Scope = `${resource}:write`
  return { scopes: [scope], roles: ['owner', 'admin'], problems: audience === 'sandbox' ? [sandboxOnly] : [] }
}

/**
 * The rows that the caller changes as this audience. In a live organization the worker needs its own login: a token that
 * the client minted would be the client acting for the worker.
 */
export function ownRows(audience: Audience, caller: Caller): { organization_id: string; worker_id?: string } {
  const { organization_id, kind, is_sandbox } = caller
  if (audience === 'sandbox' && !is_sandbox) throw sandboxOnly()
  if (audience !== 'worker') return { organization_id }
  if (kind === 'worker' && !is_sandbox) throw ownLoginRequired()
  return { organization_id, worker_id: workerOf(caller) }
}
