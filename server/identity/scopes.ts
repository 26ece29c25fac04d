import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'

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

/** Scopes that an organization token may be given. */
export const organizationScopes: readonly Scope[] = scopes.filter((scope) => !workerScopes.includes(scope))

declare module '#core/caller.ts' {
  interface SensitiveCategories {
    compensation: true
    bank_details: true
    personal_identifiers: true
    home_address: true
    health_and_leave: true
  }
}

/** The categories of sensitive data; a credential is granted none unless its maker chooses them. */
export const sensitiveCategories: readonly SensitiveCategory[] = [
  'compensation',
  'bank_details',
  'personal_identifiers',
  'home_address',
  'health_and_leave',
]

interface RoleRights {
  /** Reading stands beside writing. */
  scopes: readonly Scope[]
  sensitive_data: readonly SensitiveCategory[]
}

const work: readonly Scope[] = ['people:read', 'contracts:read', 'time-off:read', 'organizations:read']
const notWorkers = scopes.filter((scope) => !scope.startsWith('worker:'))

/** The most that a credential of a member with this role can be given (console design 5). */
const rights: Record<Role, RoleRights> = {
  owner: { scopes: notWorkers, sensitive_data: sensitiveCategories },
  admin: { scopes: notWorkers.filter((scope) => scope !== 'accounting:write'), sensitive_data: sensitiveCategories },
  developer: {
    scopes: [...work, 'timesheets:read', 'invoice-adjustments:read', ...both('webhooks'), ...both('tokens')],
    sensitive_data: [],
  },
  finance: {
    scopes: [...work, ...both('timesheets'), ...both('invoice-adjustments'), ...both('accounting')],
    sensitive_data: ['compensation', 'bank_details'],
  },
  viewer: { scopes: [...work, 'timesheets:read', 'invoice-adjustments:read', 'webhooks:read'], sensitive_data: [] },
}

export function rightsOf(role: Role): RoleRights {
  return rights[role]
}

const grantable = new Map(
  Object.entries(rights).map(([role, { scopes }]) => [
    role,
    new Set(scopes.filter((scope) => !scope.startsWith('scim:'))),
  ]),
)

/** Scopes that a member of this role can let an app have. Provisioning is the organization's, and never a member's to give. */
export function grantableBy(role: Role): ReadonlySet<string> {
  return grantable.get(role) ?? new Set()
}

function both<Name extends 'webhooks' | 'tokens' | 'timesheets' | 'invoice-adjustments' | 'accounting'>(
  name: Name,
): [Scope, Scope] {
  return [`${name}:read`, `${name}:write`]
}
