import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'

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

/** The categories of sensitive data; a credential is granted none unless its maker chooses them. */
const categories = ['compensation', 'bank_details', 'personal_identifiers', 'home_address', 'health_and_leave'] as const

declare module '#core/caller.ts' {
  interface ScopeResources extends Record<(typeof resources)[number], true> {}
  interface SensitiveCategories extends Record<(typeof categories)[number], true> {}
}

export const sensitiveCategories: readonly SensitiveCategory[] = categories

const both = (name: (typeof resources)[number]) => [`${name}:read`, `${name}:write`] as const

/** All 22 scopes, in the order of the documentation. */
export const scopes: readonly Scope[] = resources.flatMap(both)

/** The scopes that the contract names for tools (interface specification 5.2); also asked for where nobody names any. */
export const default_scopes: readonly Scope[] = [
  ...both('contracts'),
  'people:read',
  ...both('timesheets'),
  ...both('invoice-adjustments'),
]

/** Scopes of a worker's own rows: no other credential holds them, and theirs holds no other. */
export const workerScopes: readonly Scope[] = both('worker')

/** Scopes that an organization token may be given. */
export const organizationScopes: readonly Scope[] = scopes.filter((scope) => !workerScopes.includes(scope))

interface RoleRights {
  /** Reading stands beside writing. */
  scopes: readonly Scope[]
  /** Scopes that a member can let an app have. Provisioning is the organization's, and never a member's to give. */
  grantable: ReadonlySet<string>
  sensitive_data: readonly SensitiveCategory[]
}

const work: readonly Scope[] = ['people:read', 'contracts:read', 'time-off:read', 'organizations:read']

/** The most that a credential of a member with each role can be given (console design 5). */
export const rightsOf: Readonly<Record<Role, RoleRights>> = {
  owner: rights(organizationScopes, categories),
  admin: rights(
    organizationScopes.filter((scope) => scope !== 'accounting:write'),
    categories,
  ),
  developer: rights([...work, 'timesheets:read', 'invoice-adjustments:read', ...both('webhooks'), ...both('tokens')]),
  finance: rights(
    [...work, ...both('timesheets'), ...both('invoice-adjustments'), ...both('accounting')],
    ['compensation', 'bank_details'],
  ),
  viewer: rights([...work, 'timesheets:read', 'invoice-adjustments:read', 'webhooks:read']),
}

function rights(scopes: readonly Scope[], sensitive_data: readonly SensitiveCategory[] = []): RoleRights {
  return { scopes, grantable: new Set(scopes.filter((scope) => !scope.startsWith('scim:'))), sensitive_data }
}
