import { system_actor } from '#core/caller.ts'
import { invalidState } from '#core/problems.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { Nullable, Text, Type } from '#core/schema/schema.ts'
import type { ContractRow } from '#resources/contracts/index.ts'
import { amendmentsIn } from './amendment.store.ts'
import { type AmendmentRow, moved, requireStatus } from './amendment.ts'
import { amendmentDeclined, amendmentStatusUpdated } from './events.ts'
import { defineMove, moveAmendment } from './move-amendment.ts'

const declining = {
  input: {
    reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why not.', example: 'The rate is too low.' }))),
  },
  problems: [invalidState],
  emits: [amendmentDeclined, amendmentStatusUpdated],
}

export const withdrawAmendment = defineMove({
  ...declining,
  id: 'amendments.withdraw',
  summary: 'Withdraw an amendment',
  description: 'Only before the worker has signed.',
  path: '/contracts/:contract_id/amendments/:amendment_id/withdraw',
  tool: {
    name: 'withdraw_contract_amendment',
    text: 'Withdraw an amendment for good, before the worker has signed it.',
  },
  move: decline,
})

export const workerDeclineAmendment = defineMove({
  ...declining,
  id: 'worker.decline_amendment',
  summary: 'Decline an amendment as the worker',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/decline',
  audience: 'worker',

  move(context, of, before, input) {
    requireStatus(before, 'pending')
    return decline(context, of, before, input)
  },
})

/** Says no to an open amendment: the worker declines, the client withdraws, or the contract ends. */
function decline(
  context: ReactionContext,
  of: ContractRow,
  before: AmendmentRow,
  { reason: decline_reason = null }: { reason?: string | null },
): Promise<AmendmentRow> {
  const { now: declined_at, actor: declined_by } = context
  return moveAmendment(context, of, before, moved(before, 'declined', { declined_at, declined_by, decline_reason }))
}

/** A contract has ended: what is open is declined, what was agreed is outdated (domain rules 3.2). */
export async function endAmendments(ended: ContractRow, context: ReactionContext): Promise<void> {
  const { tx, now } = context
  const { organization_id, id } = ended
  for (const before of await amendmentsIn(tx, organization_id, id, ['active', 'approved'])) {
    await moveAmendment(context, ended, before, moved(before, 'outdated', { outdated_at: now }))
  }
  for (const before of await amendmentsIn(tx, organization_id, id, ['initial', 'pending'])) {
    await decline({ ...context, actor: system_actor }, ended, before, { reason: 'contract_ended' })
  }
}
