import type { Actor } from '#core/caller.ts'
import type { Currency } from '#core/money.ts'
import { addDays, businessDate } from '#core/time-zone.ts'
import type { ContractTerms, ContractType, TermsRefusal } from './terms.ts'

export const contract_statuses = ['pending', 'active', 'completed', 'terminated', 'cancelled', 'rejected'] as const
export type ContractStatus = (typeof contract_statuses)[number]

export const termination_types = ['resignation', 'termination', 'end_of_contract'] as const
export type TerminationType = (typeof termination_types)[number]

export interface Invitation {
  email: string
  locale: string
  sent_at: string
  expires_at: string
}

export interface Termination {
  type: TerminationType
  reason: string | null
  message: string | null
  eligible_for_rehire: boolean | null
  requested_at: string
  requested_by: Actor
}

/** A contract as the store reads it: its columns, and the names of what it refers to. The terms are those in force. */
export interface ContractRow extends ContractTerms {
  organization_id: string
  id: string
  type: ContractType
  title: string
  status: ContractStatus
  status_reason: string | null
  external_id: string | null
  custom_fields: Record<string, unknown>
  archived_at: string | null
  ended_at: string | null
  created_by: Actor
  worker_id: string
  worker_email: string
  worker_name: string
  legal_entity_id: string
  legal_entity_name: string
  team_id: string | null
  team_name: string | null
  country: string
  region: string | null
  timezone: string
  currency: Currency
  vat_rate: string | null
  reverse_charge: boolean
  client_name: string | null
  client_signed_at: string | null
  client_signed_by: Actor | null
  worker_sign_name: string | null
  worker_signed_at: string | null
  invitation: Invitation | null
  termination: Termination | null
  completion_date: string | null
  /** The earlier of `end_date` and `completion_date`. */
  last_day: string | null
  current_amendment_id: string | null
  created_at: string
  updated_at: string
}

/** What every contract begins with: nobody has signed, nothing has ended. */
export const unsigned = {
  status: 'pending',
  status_reason: null,
  custom_fields: {},
  archived_at: null,
  ended_at: null,
  client_name: null,
  client_signed_at: null,
  client_signed_by: null,
  worker_sign_name: null,
  worker_signed_at: null,
  invitation: null,
  termination: null,
  completion_date: null,
  current_amendment_id: null,
} as const satisfies Partial<ContractRow>

/** The business date of a contract: the date in its own time zone. */
export function today(now: string, timezone: string): string {
  return businessDate(Date.parse(now), timezone)
}

const start_before_days_max = 366
const start_ahead_days_max = 731

/** A contract may begin about a year back and two years ahead (domain rules 2.3). */
export function startDateRefusals(start_date: string, business_date: string): TermsRefusal[] {
  const earliest = addDays(business_date, -start_before_days_max)
  const latest = addDays(business_date, start_ahead_days_max)
  if (start_date >= earliest && start_date <= latest) return []
  return [{ code: 'date_out_of_range', pointer: '/start_date', message: `must be from ${earliest} to ${latest}` }]
}
