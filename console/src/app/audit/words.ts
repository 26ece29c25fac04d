import { wordsOf } from '../../lib/format.ts'

const subjects = [
  ...['organizations', 'members', 'member_invitations', 'api_tokens', 'oauth_clients', 'oauth_grants', 'webhooks'],
  ...[
    'people',
    'contracts',
    'amendments',
    'timesheets',
    'invoice_adjustments',
    'payment_cycles',
    'invoices',
    'payments',
  ],
  ...['time_offs', 'time_off_policies', 'departments', 'teams', 'working_locations', 'legal_entities', 'custom_fields'],
]

export const kinds = subjects.map((value) => ({ value, words: wordsOf(value) }))

/** `contracts.update` as `Contracts: update`, `scim.users.patch` as `Provisioning (SCIM) of users: patch`; a timer has one word. */
export function actionWords(action: string): string {
  const [noun = '', ...others] = action.split('.')
  const verb = others.pop()
  if (verb === undefined) return wordsOf(noun)
  return `${[wordsOf(noun), ...others].join(' of ')}: ${verb.replaceAll('_', ' ')}`
}

/** The pages that show one object of a kind. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  contracts: (id) => `/contracts/${id}`,
  people: (id) => `/people/${id}`,
  webhooks: (id) => `/webhooks/${id}`,
  invoices: (id) => `/invoices/${id}`,
  payments: (id) => `/payments/${id}`,
  members: (id) => `/members?member=${id}`,
  oauth_clients: (id) => `/oauth?client=${encodeURIComponent(id)}`,
  api_tokens: () => '/tokens',
  organizations: () => '/settings',
}

export const pageOf = (kind: string, id: string | null): string | null =>
  id === null ? null : (pages[kind]?.(id) ?? null)
