import { authorize, type Caller, holdsScope, type Role, type Scope } from '#core/caller.ts'
import { insufficientScope, sensitiveDataRequired, validationFailed } from '#core/problems.ts'
import { refuseOldProof } from '../console-request.ts'
import { rightsOf, workerScopes } from '../scopes.ts'

const hour_ms = 3_600_000
const lifetime_max_ms = 10 * 366 * 24 * hour_ms

/** Roles that see and manage the tokens of their organization. */
export const tokenRoles: readonly Role[] = ['owner', 'admin', 'developer']

/**
 * Rights only shrink: a credential gets no scope or category that its maker may not use at this moment, role included.
 * Provisioning is the organization's; no personal token does it. Whoever makes one in the console proves who it is: the
 * credential is asked for no proof afterwards.
 */
export function refuseExcess(
  caller: Caller,
  { kind, scopes, sensitive_data }: { kind: string; scopes: readonly string[]; sensitive_data: readonly string[] },
  real_now: string,
): void {
  const role = caller.role && rightsOf[caller.role]
  const mayGive = (scope: string) =>
    holdsScope(caller, scope) &&
    !workerScopes.some((own) => own === scope) &&
    !(kind === 'personal' && scope.startsWith('scim:')) &&
    (!role || role.scopes.some((held) => held === scope))
  const excess = scopes.filter((scope) => !mayGive(scope))
  if (excess.length > 0) {
    throw insufficientScope(`The calling credential cannot give the scopes ${excess.join(', ')}.`, {
      members: { required_scopes: excess },
    })
  }
  const category = sensitive_data.find(
    (name) => !caller.sensitive_data.has(name) || (role && !role.sensitive_data.some((held) => held === name)),
  )
  if (category) throw sensitiveDataRequired(`The calling credential was not granted ${category}, so it cannot give it.`)
  refuseOldProof(caller, real_now)
}

/**
 * Tells managers, who see all credentials of the organization (null), from users, who see their own (the user's id). Without `tokens:read`
 * and without a user there is nothing to see, which is said.
 */
export function usersOwnOnly(caller: Caller): string | null {
  const isManager = holdsScope(caller, 'tokens:read') && (!caller.role || tokenRoles.includes(caller.role))
  if (isManager) return null
  const user_id = ownUser(caller, 'tokens:read')
  if (!user_id) authorize(caller, { scopes: ['tokens:read'] })
  return user_id
}

/**
 * The user whose own credentials the call may see or end without being a manager. An app acts for its user in what the
 * user allowed it, so it needs the scope: `contracts:read` is no right to see or end other apps.
 */
export function ownUser(caller: Caller, scope: Scope): string | null {
  const isAllowed = caller.kind !== 'oauth' || holdsScope(caller, scope)
  return isAllowed ? (caller.user_id ?? null) : null
}

/** The end of a new credential: between an hour and ten years ahead, and never after its maker's own end. */
export function endOf(caller: Caller, wished: string | null | undefined, now: string): string | null {
  if (!wished) return caller.expires_at
  const ahead_ms = Date.parse(wished) - Date.parse(now)
  const refuse = (message: string) => validationFailed(undefined, { errors: [{ pointer: '/expires_at', message }] })
  if (caller.expires_at && Date.parse(caller.expires_at) - Date.parse(now) < hour_ms) {
    throw refuse(`must be left out: the calling credential ends at ${caller.expires_at}, and what it makes with it`)
  }
  if (ahead_ms < hour_ms || ahead_ms > lifetime_max_ms) throw refuse('must be between 1 hour and 10 years ahead')
  if (caller.expires_at && wished > caller.expires_at) {
    throw refuse(`must not be after the end of the calling credential, ${caller.expires_at}`)
  }
  return wished
}

/** The end that comes first; null is none. */
export function earlierEnd(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
