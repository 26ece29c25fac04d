import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { grantableBy, rightsOf } from '#identity/role-rights.ts'
import { workerScopes } from '#identity/scopes.ts'
import { sensitiveCategories } from '#identity/sensitive-categories.ts'
import type { Session } from '#identity/sessions/index.ts'
import type { Client } from '../clients/client.ts'

/** As what a user can let a client act in one organization, and which of the requested rights that can give. */
export interface Offer {
  organization_id: string
  name: string
  is_sandbox: boolean
  role: Role | null
  as: 'member' | 'worker'
  person_id: string | null
  scopes: { name: Scope; state: ScopeState }[]
  /** Categories that can be chosen; a worker's own data needs no choice. */
  sensitive_data: readonly SensitiveCategory[]
}

export type ScopeState = 'offered' | 'unticked' | 'struck_out'

/** Every membership and every own worker relation, where the client may act at all. */
export function offersOf(
  session: Session,
  client: Client,
  requested: readonly Scope[],
  blocking: readonly string[],
): Offer[] {
  const members = session.memberships.map(
    (place): Offer => ({
      ...placeOf(place),
      role: place.role,
      as: 'member',
      person_id: null,
      scopes: requested.map((name) => ({ name, state: stateForMember(name, place.role, requested) })),
      sensitive_data: rightsOf(place.role).sensitive_data,
    }),
  )
  const workers = session.workers.map(
    (place): Offer => ({
      ...placeOf(place),
      role: null,
      as: 'worker',
      person_id: place.person_id,
      scopes: requested.map((name) => ({ name, state: workerScopes.includes(name) ? 'offered' : 'struck_out' })),
      sensitive_data: [],
    }),
  )
  const isOpen = ({ organization_id }: Offer) =>
    !blocking.includes(organization_id) && (client.kind !== 'managed' || client.organization_id === organization_id)
  return [...members, ...workers].filter(isOpen)
}

/** What can create credentials is not given by default. */
function stateForMember(scope: Scope, role: Role, requested: readonly Scope[]): ScopeState {
  if (!grantableBy(role).has(scope)) return 'struck_out'
  const isAlone = requested.every((name) => name.startsWith('tokens:'))
  return scope.startsWith('tokens:') && !isAlone ? 'unticked' : 'offered'
}

/** The categories of a grant: as chosen, and for a worker all, since they show the worker's own rows only. */
export function categoriesOf(offer: Offer, chosen: readonly SensitiveCategory[]): readonly SensitiveCategory[] {
  return offer.as === 'worker' ? sensitiveCategories : chosen
}

function placeOf(place: { organization_id: string; organization_name: string; is_sandbox: boolean }) {
  const { organization_id, organization_name: name, is_sandbox } = place
  return { organization_id, name, is_sandbox }
}
