import type { Actor } from '#core/caller.ts'
import { canonicalDigest } from '#core/values/json.ts'
import type { Currency } from '#core/values/money.ts'
import type { ContractTerms, ContractType } from './terms.ts'

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
  /** Counts the accepted writes to its terms. */
  terms_version: number
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
  /** Digest of the terms that each party signed: evidence, whatever the terms become. */
  client_terms_digest: string | null
  worker_terms_digest: string | null
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
  terms_version: 1,
  archived_at: null,
  ended_at: null,
  client_name: null,
  client_signed_at: null,
  client_signed_by: null,
  worker_sign_name: null,
  worker_signed_at: null,
  client_terms_digest: null,
  worker_terms_digest: null,
  invitation: null,
  termination: null,
  completion_date: null,
  current_amendment_id: null,
} as const satisfies Partial<ContractRow>

/** The terms of a row without the rest of it, as a version of the terms keeps them. */
export function termsOf(row: ContractTerms): ContractTerms {
  return {
    start_date: row.start_date,
    end_date: row.end_date,
    job_title: row.job_title,
    seniority: row.seniority,
    scope_of_work: row.scope_of_work,
    special_clause: row.special_clause,
    notice_period_days: row.notice_period_days,
    amount: row.amount,
    scale: row.scale,
    frequency: row.frequency,
    cycle_end_type: row.cycle_end_type,
    cycle_end: row.cycle_end,
    first_cycle_end: row.first_cycle_end,
    payment_due_days: row.payment_due_days,
    pay_before_weekends: row.pay_before_weekends,
    proration: row.proration,
  }
}

/** Names the terms by what they say: the parties' evidence of what they signed. */
export function termsDigest(row: Pick<ContractRow, 'type' | 'currency'> & ContractTerms): string {
  return canonicalDigest({ type: row.type, currency: row.currency, ...termsOf(row) })
}
