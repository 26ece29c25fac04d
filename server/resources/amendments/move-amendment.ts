import type { Static, TObject, TProperties } from 'typebox'
import { cancelTimer, defineTimer, setTimer } from '#core/jobs/timer.ts'
import type { Operation } from '#core/operation.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { amendContract, type ContractRow, contract, diffTerms, termsVersions } from '#resources/contracts/index.ts'
import { defineStep, type Step } from '#resources/people/index.ts'
import { amendmentsIn, lockAmendment } from './amendment.store.ts'
import { AmendmentPath, type AmendmentRow, amendment, moved } from './amendment.ts'
import { amendmentStatusUpdated, contractAmended, tellMove } from './events.ts'
import { toldTerms, versionsToWrite } from './plan.ts'

interface Move<Input extends TProperties> extends Step {
  input: Input
  /** Takes the amendment of the locked contract a step further. */
  move(
    context: ReactionContext,
    of: ContractRow,
    before: AmendmentRow,
    input: Static<TObject<Input>>,
  ): Promise<AmendmentRow>
}

/** An operation that takes an amendment a step further, under the lock of its contract. */
export function defineMove<Input extends TProperties>(definition: Move<Input>): Operation {
  const { answer } = amendment
  return defineStep(definition, { name: 'amendments', path: AmendmentPath, answer }, async (values, context) => {
    // The casts hold because the values have passed the schema.
    const { contract_id, amendment_id, ...given } = values as Static<TObject<typeof AmendmentPath>>
    const { locked, before } = await lockAmendment(context.tx, context.own, { contract_id, amendment_id })
    return amendment.show(await definition.move(context, locked, before, given as Static<TObject<Input>>))
  })
}

/** Writes a step of an amendment and tells it; the timer of its day is there while it is approved. */
export async function moveAmendment(
  context: ReactionContext,
  of: ContractRow,
  before: AmendmentRow,
  after: AmendmentRow,
): Promise<AmendmentRow> {
  const [row] = await Promise.all([amendment.save(context.tx, before, after), keepTimer(context.tx, of, before, after)])
  tellMove(context, before, row, of)
  return row
}

/** Sets or cancels the timer of an approved amendment. */
export async function keepTimer(
  tx: Transaction,
  of: ContractRow,
  before: AmendmentRow,
  after: AmendmentRow,
): Promise<void> {
  const { organization_id, id: subject_id, contract_id: sequence_id } = after
  const timer = { ...amendment_effective, organization_id, subject_id }
  if (after.status === 'approved') await setTimer(tx, { ...timer, sequence_id, due_at: effectiveAt(dated(after), of) })
  else if (before.status === 'approved') await cancelTimer(tx, timer)
}

/** Among the timers of one moment after the end of the contract and before the opening of a cycle (domain rules 3.9). */
const amendment_effective = { kind: 'amendment_effective', priority: 3 } as const

/** The day of an approved amendment has come (domain rules 3.2). */
export const amendmentEffective = defineTimer({
  ...amendment_effective,
  subject: 'amendments',
  emits: [amendmentStatusUpdated, contractAmended],

  async fire({ organization_id, sequence_id: contract_id, subject_id }, context) {
    if (!contract_id) throw new Error('the timer names no contract')
    const locked = await contract.lock(context.tx, { organization_id, id: contract_id })
    const approved = await amendment.find(context.tx, { organization_id, contract_id, id: subject_id })
    if (locked.status !== 'active' || approved?.status !== 'approved') return
    await takeEffect(context, locked, dated(approved))
    context.audit({ changed_fields: ['status', 'activated_at', 'changes'] })
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

/**
 * An approved amendment takes effect on its locked contract: its terms become the contract's, and the one active before
 * is outdated. Its changes are computed anew, because others may have taken effect since it was signed. `stored` is the
 * row before a signature that is written together with the effect. The timer stays: it may be what fires.
 */
export async function takeEffect(
  context: ReactionContext,
  of: ContractRow,
  row: Dated,
  stored: AmendmentRow = row,
): Promise<{ contract: ContractRow; amendment: AmendmentRow }> {
  const { tx, now } = context
  const { organization_id, id } = of
  const versions = versionsToWrite({ ...of, versions: await termsVersions(tx, organization_id, id) }, row)
  const { terms } = versions.at(-1) ?? versions[0]
  const { amount, scale } = terms
  const changes = diffTerms(of, terms, toldTerms(row.terms))
  // The database allows one at most, so it goes first.
  const [replaced] = await amendmentsIn(tx, organization_id, id, ['active'])
  const outdated = replaced && (await amendment.save(tx, replaced, moved(replaced, 'outdated', { outdated_at: now })))
  const active = moved(row, 'active', { changes, amount, scale, activated_at: now })
  const after = await amendment.save(tx, stored, active)
  const amended = await amendContract(context, of, row.id, versions)
  tellMove(context, stored, after, amended)
  if (outdated) tellMove(context, replaced, outdated, amended)
  return { contract: amended, amendment: after }
}
