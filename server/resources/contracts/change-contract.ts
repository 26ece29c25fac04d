import type { Static, TObject, TProperties } from 'typebox'
import { cancelTimer, setTimer } from '#core/jobs/timer.ts'
import type { Operation } from '#core/operation.ts'
import { defineHappening, type ReactionContext } from '#core/reaction.ts'
import { addDays, startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { endInvitation, insertInvitation } from '#identity/invitation.store.ts'
import { defineStep, personUpdated, type Step, statusEntry, writeStatus } from '#resources/people/index.ts'
import {
  addTermsVersion,
  derivedPersonStatus,
  type InvitationSecret,
  secretAssignments,
  type TermsVersion,
} from './contract.store.ts'
import { type ContractRow, contract } from './contract.ts'
import { tellChange } from './events.ts'
import { type Done, withLastDay } from './lifecycle.ts'
import { termsOf } from './terms.ts'

/** An active contract has ended; what else ends with it is for those who react. */
export const contractEnding = defineHappening<ContractRow>('contract ending')

/** An active contract has begun, was amended, or has got another last day: what is planned by its dates and terms follows. */
export const contractRescheduled = defineHappening<ContractRow>('contract rescheduled')

/** Kind and place among timers of the same moment (domain rules 3.9). */
export const contract_end = { kind: 'contract_end', priority: 2 } as const
export const invitation_expiry = { kind: 'invitation_expiry', priority: 7 } as const

interface Along {
  /** The secret part of a new invitation. */
  secret?: InvitationSecret
  /** A timer does it: none is set or cancelled, because one that fires must not cancel itself. */
  by_timer?: true
}

/**
 * Brings a locked contract from one state into another: writes it and all that hangs on it, one statement behind the
 * other without waiting, tells what happened, and has others react to its end.
 */
export async function changeContract(
  context: ReactionContext,
  before: ContractRow,
  after: ContractRow,
  { secret, by_timer }: Along = {},
): Promise<ContractRow> {
  const { tx, emit } = context
  const { organization_id, worker_id } = after
  const is_signed = before.status === 'pending' && after.status === 'active'
  const moves_worker = before.status !== after.status || (before.termination === null) !== (after.termination === null)
  const [row, worker] = await Promise.all([
    contract.save(tx, before, after, before.invitation === after.invitation ? [] : secretAssignments(secret)),
    moves_worker ? writeStatus(tx, organization_id, worker_id, derivedPersonStatus(organization_id, worker_id)) : null,
    by_timer ? null : keepTimers(tx, before, after),
    is_signed ? addTermsVersion(tx, after, { effective_from: after.start_date, terms: termsOf(after) }) : null,
    before.invitation === after.invitation ? null : keepInvitation(tx, before, after, secret),
  ])
  tellChange(context, before, row)
  if (worker) emit(personUpdated, statusEntry(worker))
  if (isRescheduled(before, row)) await contractRescheduled.happen(row, context)
  if (before.status === 'active' && row.status !== 'active') await contractEnding.happen(row, context)
  return row
}

/** The link of the invitation that was open says from now on how it ended; a new one has its own. */
async function keepInvitation(
  tx: Transaction,
  { organization_id, id: subject_id, invitation: ended }: ContractRow,
  { status, invitation }: ContractRow,
  secret?: InvitationSecret,
): Promise<void> {
  const invited = { organization_id, kind: 'worker', subject_id } as const
  const outcome = status !== 'pending' ? 'over' : invitation ? 'replaced' : 'revoked'
  await Promise.all([
    ended && endInvitation(tx, invited, outcome),
    invitation && secret && insertInvitation(tx, invited, { ...invitation, digest: secret.digest }),
  ])
}

function isRescheduled(before: ContractRow, { status, last_day, terms_version }: ContractRow): boolean {
  if (before.status !== 'active') return status === 'active'
  return before.status !== status || before.last_day !== last_day || before.terms_version !== terms_version
}

/** An operation that takes a contract a step further: its row is locked, brought into its next state, and shown. */
export function transition<Input extends TProperties = Record<never, never>>(definition: Transition<Input>): Operation {
  return defineStep(definition, { ...contract, name: 'contracts' }, async (values, context) => {
    const { now: at, actor: by, party, own } = context
    // The casts hold because the values have passed the schema.
    const { contract_id: id, ...given } = values as { contract_id: string }
    const before = await contract.lock(context.tx, { ...own, id })
    const after = definition.to(before, { ...(given as Static<TObject<Input>>), at, by, party })
    return contract.show(await changeContract(context, before, after))
  })
}

interface Transition<Input extends TProperties> extends Step {
  input?: Input
  to(row: ContractRow, done: Done & Static<TObject<Input>>): ContractRow
}

/**
 * Gives a locked, active contract new terms: writes the versions in their order and shows the terms of the last one.
 * A changed end date moves the timer of the contract's end.
 */
export async function amendContract(
  context: ReactionContext,
  before: ContractRow,
  amendment_id: string,
  versions: readonly [VersionToWrite, ...VersionToWrite[]],
): Promise<ContractRow> {
  const { terms } = versions.at(-1) ?? versions[0]
  const terms_version = before.terms_version + 1
  const after = withLastDay({ ...before, ...terms, terms_version, current_amendment_id: amendment_id })
  const [row] = await Promise.all([
    changeContract(context, before, after),
    // Sent one behind the other over one connection, so each takes the number after the one before.
    ...versions.map((version) => addTermsVersion(context.tx, before, { ...version, amendment_id })),
  ])
  return row
}

type VersionToWrite = Pick<TermsVersion, 'effective_from' | 'terms'>

/** The timers of a contract: the end of the day that is its last one, while it is active, and that of its invitation. */
async function keepTimers(tx: Transaction, before: ContractRow, after: ContractRow): Promise<void> {
  const { organization_id, id, timezone, invitation } = after
  const last_day = endOf(after)
  const end = last_day && new Date(startOfDay(addDays(last_day, 1), timezone)).toISOString()
  const keep = (timer: typeof contract_end | typeof invitation_expiry, due_at: string | null) =>
    due_at === null
      ? cancelTimer(tx, { ...timer, organization_id, subject_id: id })
      : setTimer(tx, { ...timer, organization_id, subject_id: id, sequence_id: id, due_at })
  await Promise.all([
    endOf(before) !== last_day && keep(contract_end, end),
    before.invitation !== invitation && keep(invitation_expiry, invitation?.expires_at ?? null),
  ])
}

function endOf({ status, last_day }: ContractRow): string | null {
  return status === 'active' ? last_day : null
}
