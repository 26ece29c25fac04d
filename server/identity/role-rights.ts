import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { scopes } from './scopes.ts'
import { sensitiveCategories } from './sensitive-categories.ts'

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

/** What a member of this role can let an app do. Provisioning is the organization's, and never a member's to give. */
export function grantableBy(role: Role): ReadonlySet<string> {
  return grantable.get(role) ?? new Set()
}

function both<Name extends 'webhooks' | 'tokens' | 'timesheets' | 'invoice-adjustments' | 'accounting'>(
  name: Name,
): [Scope, Scope] {
  return [`${name}:read`, `${name}:write`]
}
