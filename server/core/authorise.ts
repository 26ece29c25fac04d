import { type Caller, holdsScope, type Role, type Scope } from './caller.ts'
import { insufficientScope } from './problems/problems.ts'

/** Refuses a caller who holds none of the scopes, or who has a role that is not among the roles. */
export function authorise(
  caller: Caller,
  { scopes, roles }: { scopes: readonly Scope[]; roles?: readonly Role[] | undefined },
): void {
  if (scopes.length > 0 && !scopes.some((scope) => holdsScope(caller, scope))) {
    throw insufficientScope(`This needs one of the scopes ${scopes.join(', ')}.`, {
      members: { required_scopes: scopes },
    })
  }
  if (caller.role && roles && !roles.includes(caller.role)) {
    throw insufficientScope(`The role ${caller.role} may not do this; ${roles.join(', ')} may.`, {
      members: { required_scopes: [] },
    })
  }
}
