import type { Scope } from '#core/caller.ts'

declare module '#core/caller.ts' {
  interface ScopeResources {
    contracts: true
    people: true
    timesheets: true
    'invoice-adjustments': true
    accounting: true
    organizations: true
    'time-off': true
    webhooks: true
    tokens: true
    scim: true
    worker: true
  }
}

const resources = [
  'contracts',
  'people',
  'timesheets',
  'invoice-adjustments',
  'accounting',
  'organizations',
  'time-off',
  'webhooks',
  'tokens',
  'scim',
  'worker',
] as const

/** All 22 scopes, in the order of the documentation. */
export const scopes: readonly Scope[] = resources.flatMap((name) => [`${name}:read`, `${name}:write`] as const)

/** The scopes that the contract names for tools (interface specification 5.2); also asked for where nobody names any. */
export const default_scopes: readonly Scope[] = [
  'contracts:read',
  'contracts:write',
  'people:read',
  'timesheets:read',
  'timesheets:write',
  'invoice-adjustments:read',
  'invoice-adjustments:write',
]

/** Scopes of a worker's own rows: no other credential holds them, and theirs holds no other. */
export const workerScopes: readonly Scope[] = ['worker:read', 'worker:write']

/** What an organization token may be given. */
export const organizationScopes: readonly Scope[] = scopes.filter((scope) => !workerScopes.includes(scope))
