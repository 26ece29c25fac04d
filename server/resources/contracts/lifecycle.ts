import type { Actor } from '#core/caller.ts'
import { dateOutOfRange, invalidState } from '#core/problems.ts'
import { addDays, businessDate, earliest, latest } from '#core/values.ts'
import type { ContractRow, Invitation } from './contract.ts'
import { alreadySigned, noOpenInvitation, requireTermsVersion } from './problems.ts'
import { termsDigest } from './terms.ts'

type ContractStatus = ContractRow['status']
type Termination = NonNullable<ContractRow['termination']>

/**
 * The transitions of a contract (domain rules 3.1) without any reading or writing: each takes the row as it is and
 * answers the row as it will be, or throws the problem that says why not.
 */
export interface Done {
  at: string
  by: Actor
  party: 'client' | 'worker'
}

const invitation_days = 14
const termination_ahead_days_max = 366

/** The signature of one party; with the second the contract is active and the invitation has done its work. */
export function sign(
  row: ContractRow,
  { party, signer_name: name = row.worker_name, terms_version, at, by }: Done & Signature,
): ContractRow {
  requireStatus(row, 'pending', 'signed')
  requireNotOver(row, at)
  if (row[`${party}_signed_at`] !== null) throw alreadySigned(`The ${party} has signed this contract already.`)
  requireTermsVersion(row, terms_version)
  const digest = termsDigest(row)
  const signed =
    party === 'client'
      ? { ...row, client_name: name, client_signed_at: at, client_signed_by: by, client_terms_digest: digest }
      : { ...row, worker_sign_name: name, worker_signed_at: at, worker_terms_digest: digest }
  const complete = signed.client_signed_at !== null && signed.worker_signed_at !== null
  return complete ? { ...signed, status: 'active', invitation: null } : signed
}

export interface Signature {
  /** Default: the name of the worker. */
  signer_name?: string
  /** The version that the party has read. */
  terms_version?: number
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

export function cancel(row: ContractRow, { at, reason = null }: Reasoned): ContractRow {
  requireStatus(row, 'pending', 'cancelled')
  return { ...row, status: 'cancelled', status_reason: reason, ended_at: at, invitation: null }
}

export function reject(row: ContractRow, { at, reason = null }: Reasoned): ContractRow {
  requireStatus(row, 'pending', 'rejected')
  refuseSignedWorker(row)
  return { ...row, status: 'rejected', status_reason: reason, ended_at: at, invitation: null }
}

type Reasoned = Pick<Done, 'at'> & { reason?: string | null }

/** An invitation lives 14 days and takes the place of an open one. */
export function invite(row: ContractRow, { at, ...to }: Pick<Done, 'at'> & Pick<Invitation, 'email' | 'locale'>) {
  requireStatus(row, 'pending', 'offered')
  requireNotOver(row, at)
  refuseSignedWorker(row)
  const expires_at = new Date(Date.parse(at) + invitation_days * 86_400_000).toISOString()
  return { ...row, invitation: { ...to, sent_at: at, expires_at } }
}

export function revokeInvitation(row: ContractRow, { at }: Pick<Done, 'at'>): ContractRow {
  openInvitation(row, at)
  return { ...row, invitation: null }
}

/** The open invitation; one whose time is over counts as none, also before its timer has cleared it. */
export function openInvitation({ invitation }: ContractRow, now: string): Invitation {
  if (invitation === null || invitation.expires_at <= now) throw noOpenInvitation()
  return invitation
}

/** With a date the contract goes on until then; without one it ends now, and today is its last day. */
export function terminate(row: ContractRow, { at, by, completion_date = null, ...wish }: Wish): ContractRow {
  requireStatus(row, 'active', 'terminated')
  requireNotOver(row, at)
  if (row.termination !== null) {
    throw invalidState(`A termination for ${row.completion_date} is pending; cancel it first.`)
  }
  const today = businessDate(at, row.timezone)
  const { type, reason = null, message = null, eligible_for_rehire = null } = wish
  const termination = { type, reason, message, eligible_for_rehire, requested_at: at, requested_by: by }
  const leaving = withLastDay({ ...row, termination, completion_date: completion_date ?? today })
  refuseDateOutside(row, completion_date ?? today, today)
  return completion_date === null ? end(leaving, at) : leaving
}

type Wish = Pick<Done, 'at' | 'by'> &
  Pick<Termination, 'type'> & {
    [Wished in 'reason' | 'message' | 'eligible_for_rehire']?: Termination[Wished]
  } & { completion_date?: string | null }

/** Nothing ends before it starts; a contract that has not begun is terminated for its first day or later. */
function refuseDateOutside({ start_date, end_date }: ContractRow, completion_date: string, today: string): void {
  const first = latest(start_date, today)
  const ahead = latest(start_date, addDays(today, termination_ahead_days_max))
  const last = end_date === null ? ahead : earliest(end_date, ahead)
  if (completion_date >= first && completion_date <= last) return
  const message = first === last ? `must be ${first}` : `must be from ${first} to ${last}`
  throw dateOutOfRange(undefined, { errors: [{ pointer: '/completion_date', message }] })
}

export function cancelTermination(row: ContractRow, { at }: Pick<Done, 'at'>): ContractRow {
  requireStatus(row, 'active', 'kept')
  if (row.termination === null) throw invalidState('No termination is pending.')
  requireNotOver(row, at)
  return withLastDay({ ...row, termination: null, completion_date: null })
}

/** The termination that set the last day; null where that is the end date that both parties signed. */
export function endingTermination({ termination, completion_date, last_day }: ContractRow) {
  return completion_date === last_day ? termination : null
}

/** The end of an active contract: terminated, or completed as planned. */
export function end(row: ContractRow, at: string): ContractRow {
  const { type = 'end_of_contract', reason = null } = endingTermination(row) ?? {}
  const status = type === 'end_of_contract' ? 'completed' : 'terminated'
  return { ...row, status, status_reason: reason, ended_at: at }
}

export function archive(row: ContractRow, { at }: Pick<Done, 'at'>): ContractRow {
  if (row.status === 'pending' || row.status === 'active') {
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
  const [last_day = null] = [row.end_date, row.completion_date].filter((date) => date !== null).sort()
  return { ...row, last_day }
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

function refuseSignedWorker({ worker_signed_at }: ContractRow): void {
  if (worker_signed_at !== null) throw alreadySigned('The worker has signed this contract already.')
}
