import type { Caller } from '#core/caller.ts'
import { workerOf } from '#resources/people/index.ts'
import { ownLoginRequired } from './problems.ts'

/**
 * The worker who signs or refuses. In a live organization that takes the worker's own login: a token that the client
 * minted would be the client signing for the worker.
 */
export function requireOwnLogin(caller: Caller): Caller & { person_id: string } {
  if (caller.kind === 'worker' && !caller.is_sandbox) throw ownLoginRequired()
  return { ...caller, person_id: workerOf(caller) }
}
