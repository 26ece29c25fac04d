import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { rightsOf, sensitiveCategories, workerScopes } from '#identity/scopes.ts'
import type { Session } from '#identity/session.store.ts'
import type { EarlierConsent } from './authorization-request.store.ts'
import type { Client } from './clients/client.ts'
import { isCovered } from './parameters.ts'

/** As what a user can let a client act in one organization, and which of the requested rights that can give. */
export interface Offer {
  organization_id: string
  name: string
  is_sandbox: boolean
  role: Role | null
  as: 'member' | 'worker'
  person_id: string | null
  scopes: OfferedScope[]
  /** Categories that can be chosen; a worker's own data needs no choice. */
  sensitive_data: readonly SensitiveCategory[]
}

export interface OfferedScope {
  name: Scope
  /** `offered` is ticked at first; `struck_out` cannot be given here. */
  state: 'offered' | 'unticked' | 'struck_out'
  was_granted: boolean
  /** The client was refused a call for want of it a short while ago. */
  is_needed: boolean
}

interface OfferParts {
  client: Client
  requested: readonly Scope[]
  /** Decisions on the client, by organization. */
  verdicts: ReadonlyMap<string, 'verified' | 'blocked'>
  /** Consents that this user has given the client already. */
  earlier: readonly EarlierConsent[]
}

/** Every membership and every own worker relation, where the client may act at all. */
export function offersOf(session: Session, { client, requested, verdicts, earlier }: OfferParts): Offer[] {
  const members = session.memberships.map(({ role, ...place }): Offer => {
    const own = earlier.filter((one) => one.organization_id === place.organization_id && one.person_id === null)
    const { grantable, sensitive_data } = rightsOf[role]
    const scopes = offeredScopes(requested, grantable, own)
    return { ...placeOf(place), role, as: 'member', person_id: null, scopes, sensitive_data }
  })
  const workers = session.workers.map(({ person_id, ...place }): Offer => {
    const own = earlier.filter((one) => one.person_id === person_id)
    const scopes = offeredScopes(requested, new Set(workerScopes), own)
    return { ...placeOf(place), role: null, as: 'worker', person_id, scopes, sensitive_data: [] }
  })
  const isOpen = ({ organization_id }: Offer) =>
    verdicts.get(organization_id) !== 'blocked' &&
    (client.kind !== 'managed' || client.organization_id === organization_id)
  return [...members, ...workers].filter(isOpen)
}

/** Writing includes reading: whoever asks to write can be let read alone, which then stands before it. */
function offeredScopes(
  requested: readonly Scope[],
  grantable: ReadonlySet<string>,
  earlier: readonly EarlierConsent[],
): OfferedScope[] {
  const areas = new Set(requested.map((name) => name.replace(/:.*$/, '')))
  const names = [...areas].flatMap((area) => {
    // The cast holds because every area has both scopes.
    const [read, write] = [`${area}:read`, `${area}:write`] as [Scope, Scope]
    const asksToWrite = requested.includes(write)
    const canRead = requested.includes(read) || (asksToWrite && grantable.has(write))
    return [...(canRead ? [read] : []), ...(asksToWrite ? [write] : [])]
  })
  const granted = earlier.flatMap(({ scopes }) => scopes)
  const needed = earlier.flatMap(({ needed_scopes }) => needed_scopes)
  return names.map((name) => {
    const [was_granted, is_needed] = [isCovered(name, granted), isCovered(name, needed)]
    const isFirst = earlier.length === 0
    const isTicked = !neverTicked(name) && (isFirst ? name.endsWith(':read') : was_granted || is_needed)
    const state = grantable.has(name) ? (isTicked ? 'offered' : 'unticked') : 'struck_out'
    return { name, state, was_granted, is_needed }
  })
}

/** Credentials and money are given by a press of their own. */
function neverTicked(scope: Scope): boolean {
  return scope.startsWith('tokens:') || scope === 'accounting:write'
}

/** The scopes granted of those ticked: without the reading that writing includes, where only writing was asked for. */
export function scopesToGrant(ticked: readonly Scope[], requested: readonly Scope[]): Scope[] {
  const isIncluded = (name: Scope) =>
    !requested.includes(name) &&
    isCovered(
      name,
      ticked.filter((one) => one !== name),
    )
  return [...new Set(ticked)].filter((name) => !isIncluded(name))
}

/** The categories of a grant: as chosen, and for a worker all, since they show the worker's own rows only. */
export function categoriesOf(offer: Offer, chosen: readonly SensitiveCategory[]): readonly SensitiveCategory[] {
  return offer.as === 'worker' ? sensitiveCategories : chosen
}

function placeOf(place: { organization_id: string; organization_name: string; is_sandbox: boolean }) {
  const { organization_id, organization_name: name, is_sandbox } = place
  return { organization_id, name, is_sandbox }
}

/**
 * The words of the consent page for each scope: for reading what can be seen, for writing what it adds to that. `**…**`
 * deserves a second look.
 */
export const scopeWords: Record<Scope, string> = {
  'contracts:read': 'See contracts, terms, amendments and payment periods',
  'contracts:write': 'Draft, sign for the company, amend and end contracts',
  'people:read': 'See people and their HR records',
  'people:write': 'Add and change people',
  'timesheets:read': 'See reported work',
  'timesheets:write': 'Report, change, approve and decline work',
  'invoice-adjustments:read': 'See bonuses, expenses and deductions',
  'invoice-adjustments:write': 'Add, change, approve and decline bonuses, expenses and deductions',
  'accounting:read': 'See invoices, payments and the ledger',
  'accounting:write': 'Issue invoices, and **start and settle payments**',
  'organizations:read': 'See the organization, its departments, teams and members',
  'organizations:write': 'Change the organization, its departments, teams and members',
  'time-off:read': 'See absences and balances',
  'time-off:write': 'Request, approve and cancel absences',
  'webhooks:read': 'See webhook subscriptions, and **every event with its names and e-mail addresses**',
  'webhooks:write': 'Create, change and replay webhooks, which **send events to other addresses**',
  'tokens:read': 'See API tokens, OAuth clients and grants, never their secrets',
  'tokens:write': '**Create and end** API tokens, OAuth clients and grants',
  'scim:read': 'Read the directory for provisioning',
  'scim:write': '**Create, change and close people’s access**',
  'worker:read': 'See your own contracts, hours and invoices',
  'worker:write': 'Sign, decline and report for yourself',
}

export const categoryWords: Record<SensitiveCategory, string> = {
  compensation: 'Pay: salaries, rates and amounts',
  bank_details: 'Bank accounts',
  personal_identifiers: 'Dates of birth, nationalities and government ids',
  home_address: 'Home addresses',
  health_and_leave: 'Health and absences',
}
