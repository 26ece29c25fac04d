/**
 * The vocabulary of rights. The core knows that scopes and categories exist, not which: the identity room adds their
 * names here by declaration merging, so that an unknown scope or category is a compile error everywhere.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by identity/scopes.ts
export interface ScopeResources {}
// biome-ignore lint/suspicious/noEmptyInterface: filled in by identity/sensitive-categories.ts
export interface SensitiveCategories {}

export type Scope = `${keyof ScopeResources & string}:${'read' | 'write'}`
export type SensitiveCategory = keyof SensitiveCategories & string
export type Role = 'owner' | 'admin' | 'developer' | 'finance' | 'viewer'

/** Who did something, as answers, events and the audit log show it. */
export interface Actor {
  kind: 'user' | 'token' | 'worker' | 'scim' | 'system' | 'provider'
  id: string | null
  name: string
}

/** In whose name timers fire and what follows from a change by itself is done. */
export const system_actor: Actor = { kind: 'system', id: null, name: 'System' }

/** What every credential becomes; nothing else leaves the identity room. */
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
  user_id?: string
  person_id?: string
  role?: Role
  /** The most that the caller's user could give, by role or as a worker; absent: nobody says. */
  obtainable_scopes?: ReadonlySet<string>
  /** Of an OAuth token: the client that acts, and the permission it acts under. */
  client_id?: string
  grant_id?: string
}

/** `x:write` implies `x:read`. */
export function holdsScope(caller: Caller, scope: string): boolean {
  return caller.scopes.has(scope) || (scope.endsWith(':read') && caller.scopes.has(`${scope.slice(0, -5)}:write`))
}
