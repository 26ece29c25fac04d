import { type Actor, system_actor } from '#core/caller.ts'
import type { Context } from '#core/operation.ts'
import type { ContractEnding, ContractRow } from '#resources/contracts/index.ts'
import { amendmentsIn, saveAmendment } from './amendment.store.ts'
import { type AmendmentRow, declined, outdated } from './amendment.ts'
import { amendmentDeclined, amendmentEntry, amendmentStatusUpdated, movedEntry } from './events.ts'
import { cancelEffectiveTimer } from './take-effect.ts'

type Needs = Pick<Context<typeof amendmentDeclined | typeof amendmentStatusUpdated>, 'tx' | 'now' | 'emit'>

/** Says no to an open amendment: the worker declines, the client withdraws, or the contract ends. */
export async function declineAmendment(
  contract: ContractRow,
  row: AmendmentRow,
  { by, reason }: { by: Actor; reason: string | null },
  { tx, now, emit }: Needs,
): Promise<AmendmentRow> {
  const amendment = await saveAmendment(tx, declined(row, by, reason, now))
  emit(amendmentDeclined, { ...amendmentEntry(amendment, contract), declined_by: by, reason })
  emit(amendmentStatusUpdated, movedEntry(amendment, row, contract))
  return amendment
}

/** A contract has ended: what is open is declined, what was agreed is outdated (domain rules 3.2). */
export const amendmentEnding: ContractEnding = {
  emits: [amendmentDeclined, amendmentStatusUpdated],
  apply: endAmendments,
}

async function endAmendments(contract: ContractRow, context: Needs): Promise<void> {
  const { tx, now, emit } = context
  const { organization_id, id } = contract
  for (const row of await amendmentsIn(tx, organization_id, id, ['active', 'approved'])) {
    const ended = await saveAmendment(tx, outdated(row, now))
    if (row.status === 'approved') await cancelEffectiveTimer(tx, row)
    emit(amendmentStatusUpdated, movedEntry(ended, row, contract))
  }
  for (const row of await amendmentsIn(tx, organization_id, id, ['initial', 'pending'])) {
    await declineAmendment(contract, row, { by: system_actor, reason: 'contract_ended' }, context)
  }
}
