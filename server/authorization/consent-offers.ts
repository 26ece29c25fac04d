import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { rightsOf, workerScopes } from '#identity/scopes.ts'
import type { Session } from '#identity/session.store.ts'
import type { EarlierConsent } from './authorization-request.store.ts'
import type { Client } from './clients/client.ts'
import { isCovered } from './parameters.ts'

interface OfferParts {
  client: Client
  requested: readonly Scope[]
  /** Decisions on the client, by organization. */
  verdicts: ReadonlyMap<string, 'verified' | 'blocked'>
  /** Consents that this user has given the client already. */
  earlier: readonly EarlierConsent[]
}

export type Offer = ReturnType<typeof offersOf>[number]

/** As what a user can let a client act: in every membership and every own worker relation, where it may act at all. */
export function offersOf(session: Session, { client, requested, verdicts, earlier }: OfferParts) {
  const places = [
    ...session.memberships
      .filter(({ lacks_second_factor }) => !lacks_second_factor)
      .map((place) => ({ ...place, as: 'member' as const, person_id: null })),
    ...session.workers.map((place) => ({ ...place, as: 'worker' as const, role: null })),
  ]
  const open = places.filter(
    ({ organization_id }) =>
      verdicts.get(organization_id) !== 'blocked' &&
      (client.kind !== 'managed' || client.organization_id === organization_id),
  )
  return open.map(({ organization_id, organization_name: name, is_sandbox, role, as, person_id }) => {
    // A worker's own data needs no choice.
    const { grantable, sensitive_data } = role ? rightsOf[role] : rightsOfWorker
    const own = earlier.filter((one) => one.organization_id === organization_id && one.person_id === person_id)
    return {
      ...{ organization_id, name, is_sandbox, role, as, person_id },
      scopes: offeredScopes(requested, grantable, own),
      sensitive_data: sensitive_data.map((name) => ({ name, words: categoryWords[name] })),
      client_verdict: verdicts.get(organization_id) ?? null,
    }
  })
}

const rightsOfWorker = { grantable: new Set<string>(workerScopes), sensitive_data: [] }

/** Writing includes reading: whoever asks to write can be let read alone, which then stands before it. */
function offeredScopes(
  requested: readonly Scope[],
  grantable: ReadonlySet<string>,
  earlier: readonly EarlierConsent[],
) {
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
    // Needed: the client was refused a call for want of it a short while ago.
    const [was_granted, is_needed] = [isCovered(name, granted), isCovered(name, needed)]
    const isUsual = earlier.length === 0 ? name.endsWith(':read') : was_granted || is_needed
    const given = isUsual && !neverTicked(name) ? 'offered' : 'unticked'
    // `offered` is ticked at first; `struck_out` cannot be given here.
    const state = grantable.has(name) ? given : 'struck_out'
    return { name, state, was_granted, is_needed, words: scopeWords[name] }
  })
}

/** Credentials and money are given by a press of their own. */
function neverTicked(scope: Scope): boolean {
  return scope.startsWith('tokens:') || scope === 'accounting:write'
}

/** The scopes granted of those ticked: without the reading that writing includes, where only writing was asked for. */
export function scopesToGrant(ticked: readonly Scope[], requested: readonly Scope[]): Scope[] {
  const others = (name: Scope) => ticked.filter((one) => one !== name)
  return [...new Set(ticked)].filter((name) => requested.includes(name) || !isCovered(name, others(name)))
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
