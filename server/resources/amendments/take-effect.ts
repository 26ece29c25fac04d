import { cancelTimer, setTimer } from '#core/jobs/timer.ts'
import type { Context } from '#core/operation.ts'
import { startOfDay } from '#core/values/time.ts'
import type { Transaction } from '#db/database.ts'
import { amendContract, type ContractRow, diffTerms, termsVersions } from '#resources/contracts/index.ts'
import { amendmentsIn, saveAmendment } from './amendment.store.ts'
import { type AmendmentRow, activated, outdated } from './amendment.ts'
import { amendedEntry, amendmentStatusUpdated, contractAmended, movedEntry } from './events.ts'
import { toldTerms, versionsToWrite } from './plan.ts'

/** Among the timers of one moment after the end of the contract and before the opening of a cycle (domain rules 3.9). */
export const amendment_effective = { kind: 'amendment_effective', priority: 3 } as const

/** An amendment with its date, as it is from the second signature on. */
export type Dated = AmendmentRow & { effective_date: string }

export function dated(row: AmendmentRow): Dated {
  const { effective_date } = row
  // The database demands the date of every approved amendment.
  if (effective_date === null) throw new Error(`the amendment ${row.id} is ${row.status} without a date`)
  return { ...row, effective_date }
}

/** When an amendment takes effect: the start of its day in the zone of the contract. */
export function effectiveAt({ effective_date }: Dated, { timezone }: ContractRow): string {
  return new Date(startOfDay(effective_date, timezone)).toISOString()
}

export function setEffectiveTimer(tx: Transaction, row: Dated, contract: ContractRow): Promise<void> {
  const { organization_id, id, contract_id } = row
  const due_at = effectiveAt(row, contract)
  return setTimer(tx, { ...amendment_effective, organization_id, subject_id: id, sequence_id: contract_id, due_at })
}

export function cancelEffectiveTimer(tx: Transaction, { organization_id, id }: AmendmentRow): Promise<void> {
  return cancelTimer(tx, { kind: amendment_effective.kind, organization_id, subject_id: id })
}

/** What came of an amendment that took effect. */
export interface Effect {
  contract: ContractRow
  amendment: Dated
  /** The amendment that was active until now, as it was and as it is. */
  replaced: { before: AmendmentRow; after: AmendmentRow }[]
}

/**
 * An approved amendment takes effect on its locked contract: its terms become the contract's, and the one active before
 * is outdated. Its changes are computed anew, because others may have taken effect since it was signed.
 */
export async function takeEffect(
  contract: ContractRow,
  row: Dated,
  { tx, now }: Pick<Context, 'tx' | 'now'>,
): Promise<Effect> {
  const { organization_id, id } = contract
  const versions = versionsToWrite({ ...contract, versions: await termsVersions(tx, organization_id, id) }, row)
  const { terms } = versions.at(-1) ?? versions[0]
  const replaced: Effect['replaced'] = []
  for (const before of await amendmentsIn(tx, organization_id, id, ['active'])) {
    replaced.push({ before, after: await saveAmendment(tx, outdated(before, now)) })
  }
  const proposal = {
    ...row,
    changes: diffTerms(contract, terms, toldTerms(row.terms)),
    amount: terms.amount,
    scale: terms.scale,
  }
  const amendment = dated(await saveAmendment(tx, activated(row, proposal, now)))
  return { contract: await amendContract(tx, contract, row.id, versions), amendment, replaced }
}

/** `previous` is how the amendment stood before the transaction. */
export function announceEffect(
  { contract, amendment, replaced }: Effect,
  previous: Pick<AmendmentRow, 'status' | 'sign_status'>,
  emit: Context<typeof amendmentStatusUpdated | typeof contractAmended>['emit'],
): void {
  emit(amendmentStatusUpdated, movedEntry(amendment, previous, contract))
  emit(contractAmended, amendedEntry(contract, amendment))
  for (const { before, after } of replaced) emit(amendmentStatusUpdated, movedEntry(after, before, contract))
}
