import { cancelTimer, defineTimer, setTimer } from '#core/jobs/timer.ts'
import type { Context } from '#core/operation.ts'
import { startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { amendContract, type ContractRow, contract, diffTerms, termsVersions } from '#resources/contracts/index.ts'
import { amendmentsIn } from './amendment.store.ts'
import { type AmendmentRow, activated, amendment, outdated } from './amendment.ts'
import { amendedEntry, amendmentStatusUpdated, contractAmended, movedEntry } from './events.ts'
import { toldTerms, versionsToWrite } from './plan.ts'

/** Among the timers of one moment after the end of the contract and before the opening of a cycle (domain rules 3.9). */
const amendment_effective = { kind: 'amendment_effective', priority: 3 } as const

/** The day of an approved amendment has come (domain rules 3.2). */
export const amendmentEffective = defineTimer({
  ...amendment_effective,
  subject: 'amendments',
  emits: [amendmentStatusUpdated, contractAmended],

  async fire({ organization_id, sequence_id: contract_id, subject_id }, { tx, now, emit, audit }) {
    if (!contract_id) throw new Error('the timer names no contract')
    const locked = await contract.lock(tx, { organization_id, id: contract_id })
    const approved = await amendment.find(tx, { organization_id, contract_id, id: subject_id })
    if (locked.status !== 'active' || approved?.status !== 'approved') return
    const effect = await takeEffect(locked, dated(approved), { tx, now })
    announceEffect(effect, approved, emit)
    audit({ changed_fields: ['status', 'activated_at', 'changes'] })
  },
})

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

/** The result of an amendment that took effect. */
export interface Effect {
  contract: ContractRow
  amendment: Dated
  /** The amendment that was active until now, as it was and as it is. */
  replaced: { before: AmendmentRow; after: AmendmentRow }[]
}

/**
 * An approved amendment takes effect on its locked contract: its terms become the contract's, and the one active before
 * is outdated. Its changes are computed anew, because others may have taken effect since it was signed. `stored` is the
 * row before a signature that is written together with the effect.
 */
export async function takeEffect(
  of: ContractRow,
  row: Dated,
  { tx, now }: Pick<Context, 'tx' | 'now'>,
  stored: AmendmentRow = row,
): Promise<Effect> {
  const { organization_id, id } = of
  const versions = versionsToWrite({ ...of, versions: await termsVersions(tx, organization_id, id) }, row)
  const { terms } = versions.at(-1) ?? versions[0]
  const replaced: Effect['replaced'] = []
  for (const before of await amendmentsIn(tx, organization_id, id, ['active'])) {
    replaced.push({ before, after: await amendment.save(tx, before, outdated(before, now)) })
  }
  const proposal = {
    ...row,
    changes: diffTerms(of, terms, toldTerms(row.terms)),
    amount: terms.amount,
    scale: terms.scale,
  }
  const after = dated(await amendment.save(tx, stored, activated(row, proposal, now)))
  return { contract: await amendContract(tx, of, row.id, versions), amendment: after, replaced }
}

/** `previous` is how the amendment stood before the transaction. */
export function announceEffect(
  { contract: of, amendment: row, replaced }: Effect,
  previous: Pick<AmendmentRow, 'status' | 'sign_status'>,
  emit: Context<typeof amendmentStatusUpdated | typeof contractAmended>['emit'],
): void {
  emit(amendmentStatusUpdated, movedEntry(row, previous, of))
  emit(contractAmended, amendedEntry(of, row))
  for (const { before, after } of replaced) emit(amendmentStatusUpdated, movedEntry(after, before, of))
}
