import type { Context } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { type ContractRow, today } from '#resources/contracts/index.ts'
import { amendmentsIn, saveAmendment } from './amendment.store.ts'
import { type AmendmentRow, requireStatus, signedByWorker } from './amendment.ts'
import { amendmentEntry, amendmentSigned, amendmentStatusUpdated, type contractAmended, movedEntry } from './events.ts'
import { type Plan, planAmendment } from './plan.ts'
import { effectiveDateTaken } from './problems.ts'
import { standingOf } from './propose.ts'
import {
  announceEffect,
  cancelEffectiveTimer,
  dated,
  effectiveAt,
  setEffectiveTimer,
  takeEffect,
} from './take-effect.ts'

type Events = typeof amendmentSigned | typeof amendmentStatusUpdated | typeof contractAmended
type Needs = Pick<Context<Events>, 'tx' | 'now' | 'emit'>

/** The second signature (domain rules 3.2): the amendment is approved for its date, or takes effect at once. */
export async function signForWorker(
  locked: ContractRow,
  amendment: AmendmentRow,
  { name, terms_version }: { name: string; terms_version: number | undefined },
  context: Needs,
): Promise<{ contract: ContractRow; amendment: AmendmentRow }> {
  const { tx, now, emit } = context
  requireStatus(amendment, 'pending')
  const contract = await takeUpOverdue(locked, context)
  const { effective_date, changes, terms } = await agree(contract, amendment, context)
  const proposal = { effective_date, terms: amendment.terms, changes, amount: terms.amount, scale: terms.scale }
  const signature = { name, at: now, currency: contract.currency, terms_version }
  const signed = dated(signedByWorker(amendment, proposal, signature))
  const announce = (row: AmendmentRow, of: ContractRow) =>
    emit(amendmentSigned, { ...amendmentEntry(row, of), party: 'worker', signed_at: now })
  if (effective_date > today(now, contract.timezone)) {
    const approved = await saveAmendment(tx, signed)
    await setEffectiveTimer(tx, signed, contract)
    announce(approved, contract)
    emit(amendmentStatusUpdated, movedEntry(approved, amendment, contract))
    return { contract, amendment: approved }
  }
  const effect = await takeEffect(contract, signed, context)
  announce(effect.amendment, effect.contract)
  announceEffect(effect, amendment, emit)
  return effect
}

/** The terms that the worker agrees to now; what no longer fits since it was drafted cannot be signed. */
async function agree(contract: ContractRow, amendment: AmendmentRow, context: Needs): Promise<Plan> {
  const plan = planAmendment(await standingOf(contract, context), amendment, 'signature')
  if (!Array.isArray(plan)) return plan
  const [first] = plan
  const errors = plan.map(({ pointer, message }) => ({ pointer, message }))
  if (first?.code === 'effective_date_taken') throw effectiveDateTaken(undefined, { errors })
  throw invalidState('The amendment no longer fits the contract; the client can withdraw it.', { errors })
}

/**
 * Approved amendments whose day has come go first where the sweep is late, so that the order of effects, and with it
 * which amendment is the active one, does not depend on when it runs.
 */
async function takeUpOverdue(locked: ContractRow, { tx, now, emit }: Needs): Promise<ContractRow> {
  let contract = locked
  const approved = await amendmentsIn(tx, locked.organization_id, locked.id, ['approved'])
  const business_date = today(now, locked.timezone)
  for (const row of approved.map(dated).filter(({ effective_date }) => effective_date <= business_date)) {
    const effect = await takeEffect(contract, row, { tx, now: effectiveAt(row, contract) })
    await cancelEffectiveTimer(tx, row)
    announceEffect(effect, row, emit)
    contract = effect.contract
  }
  return contract
}
