import type { Actor } from '#core/caller.ts'
import { dateOutOfRange, invalidState } from '#core/problems.ts'
import { addDays, businessDate } from '#core/values.ts'
import { type ContractRow, type Invitation, termsDigest } from './contract.ts'
import { alreadySigned, noOpenInvitation, requireTermsVersion } from './problems.ts'

type ContractStatus = ContractRow['status']
type Termination = NonNullable<ContractRow['termination']>

/**
 * The transitions of a contract (domain rules 3.1) without any reading or writing: each takes the row as it is and
 * answers the row as it will be, or throws the problem that says why not.
 */

export type Party = 'client' | 'worker'

export const invitation_days = 14
const termination_ahead_days_max = 366

const final_statuses: readonly ContractStatus[] = ['completed', 'terminated', 'cancelled', 'rejected']

/** The signature of one party; with the second the contract is active and the invitation has done its work. */
export function sign(
  row: ContractRow,
  {
    party,
    name,
    at,
    by,
    terms_version,
  }: { party: Party; name: string; at: string; by: Actor; terms_version?: number | undefined },
): ContractRow {
  requireStatus(row, 'pending', 'signed')
  requireNotOver(row, at)
  if (signedAt(row, party) !== null) throw alreadySigned(`The ${party} has signed this contract already.`)
  requireTermsVersion(row, terms_version)
  const signed =
    party === 'client'
      ? { ...row, client_name: name, client_signed_at: at, client_signed_by: by, client_terms_digest: termsDigest(row) }
      : { ...row, worker_sign_name: name, worker_signed_at: at, worker_terms_digest: termsDigest(row) }
  const complete = signed.client_signed_at !== null && signed.worker_signed_at !== null
  return complete ? { ...signed, status: 'active', invitation: null } : signed
}

/** New terms are nobody's signed terms. */
export function clearSignatures(row: ContractRow): ContractRow {
  return {
    ...row,
    client_name: null,
    client_signed_at: null,
    client_signed_by: null,
    worker_sign_name: null,
    worker_signed_at: null,
    client_terms_digest: null,
    worker_terms_digest: null,
  }
}

export function isSigned({ client_signed_at, worker_signed_at }: ContractRow): boolean {
  return client_signed_at !== null || worker_signed_at !== null
}

export function cancel(row: ContractRow, reason: string | null, at: string): ContractRow {
  requireStatus(row, 'pending', 'cancelled')
  return { ...row, status: 'cancelled', status_reason: reason, ended_at: at, invitation: null }
}

export function reject(row: ContractRow, reason: string | null, at: string): ContractRow {
  requireStatus(row, 'pending', 'rejected')
  refuseSignedWorker(row)
  return { ...row, status: 'rejected', status_reason: reason, ended_at: at, invitation: null }
}

/** An invitation lives 14 days and takes the place of an open one. */
export function invite(
  row: ContractRow,
  email: string,
  locale: string,
  at: string,
): ContractRow & { invitation: Invitation } {
  requireStatus(row, 'pending', 'offered')
  requireNotOver(row, at)
  refuseSignedWorker(row)
  const expires_at = new Date(Date.parse(at) + invitation_days * 86_400_000).toISOString()
  return { ...row, invitation: { email, locale, sent_at: at, expires_at } }
}

/** The open invitation; one whose time is over counts as none, also before its timer has cleared it. */
export function openInvitation({ invitation }: ContractRow, now: string): Invitation {
  if (invitation === null || invitation.expires_at <= now) throw noOpenInvitation()
  return invitation
}

export interface TerminationWish {
  type: Termination['type']
  completion_date: string | null
  reason: string | null
  message: string | null
  eligible_for_rehire: boolean | null
}

/** With a date the contract goes on until then; without one it ends now, and today is its last day. */
export function terminate(
  row: ContractRow,
  { completion_date, ...wish }: TerminationWish,
  { at, by }: { at: string; by: Actor },
): ContractRow {
  requireStatus(row, 'active', 'terminated')
  requireNotOver(row, at)
  if (row.termination !== null) {
    throw invalidState(`A termination for ${row.completion_date} is pending; cancel it first.`)
  }
  const business_date = businessDate(at, row.timezone)
  refuseDateOutside(row, completion_date ?? business_date, business_date)
  const termination: Termination = { ...wish, requested_at: at, requested_by: by }
  if (completion_date !== null) {
    return withLastDay({ ...row, termination, completion_date })
  }
  return end(withLastDay({ ...row, termination, completion_date: business_date }), at)
}

/** Nothing ends before it starts; a contract that has not begun is terminated for its first day or later. */
function refuseDateOutside(
  { start_date, end_date }: ContractRow,
  completion_date: string,
  business_date: string,
): void {
  const earliest = start_date > business_date ? start_date : business_date
  const year_ahead = addDays(business_date, termination_ahead_days_max)
  const ahead = year_ahead > start_date ? year_ahead : start_date
  const latest = end_date !== null && end_date < ahead ? end_date : ahead
  if (completion_date >= earliest && completion_date <= latest) return
  const message = earliest === latest ? `must be ${earliest}` : `must be from ${earliest} to ${latest}`
  throw dateOutOfRange(undefined, { errors: [{ pointer: '/completion_date', message }] })
}

export function cancelTermination(row: ContractRow, at: string): ContractRow {
  requireStatus(row, 'active', 'kept')
  if (row.termination === null) throw invalidState('No termination is pending.')
  requireNotOver(row, at)
  return withLastDay({ ...row, termination: null, completion_date: null })
}

/** True when a termination set the last day; else it is the end date that both parties signed. */
export function endsByTermination({ termination, completion_date, last_day }: ContractRow): boolean {
  return termination !== null && completion_date === last_day
}

/** The end of an active contract: terminated, or completed as planned. */
export function end(row: ContractRow, at: string): ContractRow {
  const termination = endsByTermination(row) ? row.termination : null
  const completed = termination === null || termination.type === 'end_of_contract'
  return {
    ...row,
    status: completed ? 'completed' : 'terminated',
    status_reason: termination?.reason ?? null,
    ended_at: at,
  }
}

export function archive(row: ContractRow, at: string): ContractRow {
  if (!final_statuses.includes(row.status)) {
    throw invalidState(`The contract is ${row.status}; only an ended one can be archived.`)
  }
  if (row.archived_at !== null) throw invalidState('The contract is archived already.')
  return { ...row, archived_at: at }
}

export function unarchive(row: ContractRow): ContractRow {
  if (row.archived_at === null) throw invalidState('The contract is not archived.')
  return { ...row, archived_at: null }
}

/** Repeats for the row in hand the column that the database generates. */
export function withLastDay(row: ContractRow): ContractRow {
  const { end_date, completion_date } = row
  const last_day =
    end_date !== null && completion_date !== null && end_date < completion_date ? end_date : completion_date
  return { ...row, last_day: last_day ?? end_date }
}

function requireStatus({ status }: ContractRow, needed: ContractStatus, done: string): void {
  const article = needed === 'active' ? 'an' : 'a'
  if (status !== needed) throw invalidState(`The contract is ${status}; only ${article} ${needed} one can be ${done}.`)
}

/** A contract that has ended is not agreed, ended or kept any more, also before its timer has come to it. */
export function requireNotOver({ last_day, timezone }: ContractRow, at: string): void {
  if (last_day === null || last_day >= businessDate(at, timezone)) return
  throw invalidState(`The last day of the contract was ${last_day}.`)
}

function signedAt({ client_signed_at, worker_signed_at }: ContractRow, party: Party): string | null {
  return party === 'client' ? client_signed_at : worker_signed_at
}

function refuseSignedWorker({ worker_signed_at }: ContractRow): void {
  if (worker_signed_at !== null) throw alreadySigned('The worker has signed this contract already.')
}
