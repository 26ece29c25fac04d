import type { Actor } from '#core/caller.ts'
import { invalidState } from '#core/problems.ts'
import { canonicalDigest } from '#core/values/json.ts'
import { requireTermsVersion, type Scale, type TermsChange, type TermsDifference } from '#resources/contracts/index.ts'

export const amendment_statuses = ['initial', 'pending', 'approved', 'active', 'outdated', 'declined'] as const
export type AmendmentStatus = (typeof amendment_statuses)[number]

export const sign_statuses = ['pending', 'waiting_for_approval', 'approved', 'declined'] as const
export type SignStatus = (typeof sign_statuses)[number]

/** The six pairs of domain rules 3.2: who still has to sign follows from the status. */
const signStatusOf: Record<AmendmentStatus, SignStatus> = {
  initial: 'pending',
  pending: 'waiting_for_approval',
  approved: 'approved',
  active: 'approved',
  outdated: 'approved',
  declined: 'declined',
}

/** An amendment (work statement) as its table holds it. */
export interface AmendmentRow {
  organization_id: string
  id: string
  contract_id: string
  status: AmendmentStatus
  sign_status: SignStatus
  effective_date: string | null
  reason: string | null
  terms: TermsChange
  changes: TermsDifference[]
  amount: string | null
  scale: Scale | null
  /** Counts the accepted writes to what is signed: the terms and their date. */
  terms_version: number
  client_name: string | null
  client_signed_at: string | null
  client_signed_by: Actor | null
  worker_name: string | null
  worker_signed_at: string | null
  /** Digest of the proposal that each party signed. */
  client_terms_digest: string | null
  worker_terms_digest: string | null
  activated_at: string | null
  outdated_at: string | null
  declined_at: string | null
  declined_by: Actor | null
  decline_reason: string | null
  created_by: Actor
  created_at: string
  updated_at: string
}

/** What an amendment says beside its state: written by create and update, and settled by the second signature. */
export type Proposal = Pick<AmendmentRow, 'effective_date' | 'terms' | 'changes' | 'amount' | 'scale'>

interface Signature {
  name: string
  at: string
  /** Of the contract. */
  currency: string
  /** The version that the party has read. */
  terms_version: number | undefined
}

/** What the ways out of `initial` and `pending` write. */
export type NewAmendment = Proposal &
  Pick<AmendmentRow, 'organization_id' | 'id' | 'contract_id' | 'reason' | 'created_by' | 'created_at'>

export function draftOf(proposal: NewAmendment): AmendmentRow {
  return {
    ...proposal,
    ...inStatus('initial'),
    terms_version: 1,
    client_name: null,
    client_signed_at: null,
    client_signed_by: null,
    worker_name: null,
    worker_signed_at: null,
    client_terms_digest: null,
    worker_terms_digest: null,
    activated_at: null,
    outdated_at: null,
    declined_at: null,
    declined_by: null,
    decline_reason: null,
    updated_at: proposal.created_at,
  }
}

export function revised(row: AmendmentRow, proposal: Proposal): AmendmentRow {
  requireStatus(row, 'initial')
  return { ...row, ...proposal, terms_version: row.terms_version + 1 }
}

/**
 * Names what is proposed by what it says. Once the client has signed it stays as that signature has it, although the
 * second one settles a date that was left open.
 */
export function proposalDigest(row: AmendmentRow, currency: string): string {
  const { client_terms_digest, effective_date, terms } = row
  return client_terms_digest ?? canonicalDigest({ currency, effective_date, terms })
}

export function signedByClient(row: AmendmentRow, { name, at, by, ...read }: Signature & { by: Actor }): AmendmentRow {
  requireStatus(row, 'initial')
  requireTermsVersion(row, read.terms_version)
  return {
    ...row,
    ...inStatus('pending'),
    client_name: name,
    client_signed_at: at,
    client_signed_by: by,
    client_terms_digest: proposalDigest(row, read.currency),
  }
}

/** Both have signed: approved for a day in the future. What takes effect at once goes on to `activated`. */
export function signedByWorker(row: AmendmentRow, proposal: Proposal, { name, at, ...read }: Signature): AmendmentRow {
  requireStatus(row, 'pending')
  requireTermsVersion(row, read.terms_version)
  return {
    ...row,
    ...proposal,
    ...inStatus('approved'),
    worker_name: name,
    worker_signed_at: at,
    worker_terms_digest: proposalDigest(row, read.currency),
  }
}

export function activated(row: AmendmentRow, proposal: Proposal, at: string): AmendmentRow {
  requireStatus(row, 'approved')
  return { ...row, ...proposal, ...inStatus('active'), activated_at: at }
}

export function outdated(row: AmendmentRow, at: string): AmendmentRow {
  requireStatus(row, 'active', 'approved')
  return { ...row, ...inStatus('outdated'), outdated_at: at }
}

export function declined(row: AmendmentRow, by: Actor, reason: string | null, at: string): AmendmentRow {
  requireStatus(row, 'initial', 'pending')
  return { ...row, ...inStatus('declined'), declined_at: at, declined_by: by, decline_reason: reason }
}

/** Throws `invalid_state` unless the amendment is in one of the statuses. */
export function requireStatus({ status }: AmendmentRow, ...allowed: AmendmentStatus[]): void {
  if (!allowed.includes(status)) throw invalidState(`The amendment is ${status}; it has to be ${allowed.join(' or ')}.`)
}

function inStatus(status: AmendmentStatus) {
  return { status, sign_status: signStatusOf[status] }
}
