import type { Scope, SensitiveCategory } from '#core/caller.ts'

/**
 * The words of the consent page for each scope: for reading what can be seen, for writing what it adds to that. `**…**`
 * deserves a second look.
 */
const scopeWords: Record<Scope, string> = {
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
  'webhooks:read': 'See webhook subscriptions and deliveries',
  'webhooks:write': 'Create, change and replay webhook subscriptions and deliveries',
  'tokens:read': 'See API tokens, OAuth clients and grants, never their secrets',
  'tokens:write': '**Create and end** API tokens, OAuth clients and grants',
  'scim:read': 'Read the directory for provisioning',
  'scim:write': '**Create, change and close people’s access**',
  'worker:read': 'See your own contracts, hours and invoices',
  'worker:write': 'Sign, decline and report for yourself',
}

const categoryWords: Record<SensitiveCategory, string> = {
  compensation: 'Pay: salaries, rates and amounts',
  bank_details: 'Bank accounts',
  personal_identifiers: 'Dates of birth, nationalities and government ids',
  home_address: 'Home addresses',
  health_and_leave: 'Health and absences',
}

export function wordsOfScope(scope: Scope): string {
  return scopeWords[scope]
}

export function wordsOfCategory(category: SensitiveCategory): string {
  return categoryWords[category]
}
