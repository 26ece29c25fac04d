import { insufficientScope, type Problem } from './problems.ts'

/**
 * The vocabulary of rights. The core knows that scopes and categories exist, not which: the identity room adds their
 * names here by declaration merging, so that an unknown scope or category is a compile error everywhere.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by identity/scopes.ts
export interface ScopeResources {}
// biome-ignore lint/suspicious/noEmptyInterface: filled in by identity/scopes.ts
export interface SensitiveCategories {}

export type Scope = `${keyof ScopeResources & string}:${'read' | 'write'}`
export type SensitiveCategory = keyof SensitiveCategories & string
export type Role = 'owner' | 'admin' | 'developer' | 'finance' | 'viewer'

/** The doer of something, as answers, events and the audit log show it. */
export interface Actor {
  kind: 'user' | 'token' | 'worker' | 'scim' | 'system' | 'provider'
  id: string | null
  name: string
}

/** The name in which timers fire and a change has its further effects. */
export const system_actor: Actor = { kind: 'system', id: null, name: 'System' }

/** The form that every credential takes; nothing else leaves the identity room. */
export interface Caller {
  kind: 'organization' | 'personal' | 'oauth' | 'worker' | 'console' | 'system'
  organization_id: string
  is_sandbox: boolean
  credential_id: string
  /** Of a token: the first of the line that made it. What one credential made is counted with it. */
  root_id?: string
  actor: Actor
  scopes: ReadonlySet<string>
  sensitive_data: ReadonlySet<string>
  expires_at: string | null
  /** Database time at which the credential was resolved: the time of a read, which follows at once. */
  resolved_at?: string
  /** Of a session: when the person last proved who it is. */
  authenticated_at?: string
  user_id?: string
  person_id?: string
  role?: Role
  /** The most that the caller's user could give, by role or as a worker; absent: nobody says. */
  obtainable_scopes?: ReadonlySet<string>
  /** Of an OAuth token: the client that acts, and the permission it acts under. */
  client_id?: string
  grant_id?: string
}

/** The organization that rows are of: a caller, or a row of its own. */
export type Tenant = Pick<Caller, 'organization_id'>

/** `x:write` implies `x:read`. */
export function holdsScope(caller: Caller, scope: string): boolean {
  return caller.scopes.has(scope) || (scope.endsWith(':read') && caller.scopes.has(`${scope.slice(0, -5)}:write`))
}

interface Needs {
  /** Any one of them suffices; none asks for any caller. */
  scopes: readonly Scope[]
  /** Absent: all roles. */
  roles?: readonly Role[] | undefined
}

/** Refuses a caller who has a role that is not among the roles, or who holds none of the scopes. */
/** True when `authorize` would not refuse. */
export function isAuthorized(caller: Caller, needs: Needs): boolean {
  return !isForbidden(caller, needs) && isHeld(caller, needs)
}

export function authorize(caller: Caller, needs: Needs): void {
  if (isForbidden(caller, needs)) throw forbidden(caller, needs)
  if (isHeld(caller, needs)) return
  const obtainable = obtainableScopes(caller, needs)
  if (obtainable.length === 0) throw forbidden(caller, needs)
  throw insufficientScope(`This needs one of the scopes ${needs.scopes.join(', ')}.`, {
    members: { required_scopes: obtainable },
  })
}

/**
 * Returns the scopes to request, any one of which suffices; empty when the caller may do it already, and when none would
 * help: a client that was asked would ask its user again for ever.
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
