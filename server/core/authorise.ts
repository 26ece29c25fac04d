import { type Caller, holdsScope, type Role, type Scope } from './caller.ts'
import type { Problem } from './problems/problem.ts'
import { insufficientScope } from './problems/problems.ts'

interface Needs {
  /** Any one of them suffices; none asks for any caller. */
  scopes: readonly Scope[]
  /** Absent: all roles. */
  roles?: readonly Role[] | undefined
}

/** Refuses a caller who has a role that is not among the roles, or who holds none of the scopes. */
export function authorise(caller: Caller, needs: Needs): void {
  if (isForbidden(caller, needs)) throw forbidden(caller, needs)
  if (isHeld(caller, needs)) return
  const obtainable = obtainableScopes(caller, needs)
  if (obtainable.length === 0) throw forbidden(caller, needs)
  throw insufficientScope(`This needs one of the scopes ${needs.scopes.join(', ')}.`, {
    members: { required_scopes: obtainable },
  })
}

/**
 * Of which scopes the caller needs one more, so that it makes sense to ask for it; none where nothing is lacking, and
 * none where no scope would help: a client that was asked would ask its user again for ever.
 */
export function scopesToAskFor(caller: Caller, needs: Needs): readonly Scope[] {
  return isForbidden(caller, needs) || isHeld(caller, needs) ? [] : obtainableScopes(caller, needs)
}

function isForbidden({ role }: Caller, { roles }: Needs): boolean {
  return role !== undefined && roles !== undefined && !roles.includes(role)
}

function isHeld(caller: Caller, { scopes }: Needs): boolean {
  return scopes.length === 0 || scopes.some((scope) => holdsScope(caller, scope))
}

function obtainableScopes({ obtainable_scopes }: Caller, { scopes }: Needs): readonly Scope[] {
  return obtainable_scopes ? scopes.filter((scope) => obtainable_scopes.has(scope)) : scopes
}

/** Names no scope, so no surface challenges. */
function forbidden({ role, person_id }: Caller, { roles, scopes }: Needs): Problem {
  const who = person_id === undefined ? `The role ${role}` : 'A worker'
  return insufficientScope(`${who} may not do this${othersMay(person_id === undefined, roles, scopes)}.`, {
    members: { required_scopes: [] },
  })
}

/** Members are told which of them may, or that only the worker itself may. */
function othersMay(is_member: boolean, roles: Needs['roles'], scopes: Needs['scopes']): string {
  if (!is_member) return ''
  if (roles) return `; ${roles.join(', ').replace(/, (?=[^,]*$)/, ' and ')} may`
  return scopes.length > 0 && scopes.every((scope) => scope.startsWith('worker:')) ? '; only the worker may' : ''
}
