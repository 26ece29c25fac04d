import { type Actor, system_actor } from '#core/caller.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Nullable, Text, Type } from '#core/schema/schema.ts'
import { type ContractRow, ownLoginRequired, requireOwnLogin } from '#resources/contracts/index.ts'
import { amendmentsIn, lockAmendment } from './amendment.store.ts'
import { AmendmentPath, type AmendmentRow, amendment, declined, outdated, requireStatus } from './amendment.ts'
import { amendmentDeclined, amendmentEntry, amendmentStatusUpdated, movedEntry } from './events.ts'
import { cancelEffectiveTimer } from './take-effect.ts'

const DeclineInput = Closed({
  ...AmendmentPath,
  reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why not.', example: 'The rate is too low.' }))),
})

export const withdrawAmendment = defineOperation({
  id: 'amendments.withdraw',
  summary: 'Withdraw an amendment',
  description: 'Only before the worker has signed.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments/:amendment_id/withdraw',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: DeclineInput,
  output: amendment.answer,
  problems: [invalidState],
  emits: [amendmentDeclined, amendmentStatusUpdated],
  tool: {
    name: 'withdraw_contract_amendment',
    text: 'Withdraw an amendment for good, before the worker has signed it.',
  },

  async handle({ reason = null, ...path }, context) {
    const { organization_id, actor } = context.caller
    const { locked, before } = await lockAmendment(context.tx, { organization_id, ...path })
    return amendment.show(await declineAmendment(locked, before, { by: actor, reason }, context))
  },
})

export const workerDeclineAmendment = defineOperation({
  id: 'worker.decline_amendment',
  summary: 'Decline an amendment as the worker',
  method: 'POST',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/decline',
  scopes: ['worker:write'],
  input: DeclineInput,
  output: amendment.answer,
  subject: 'amendments',
  problems: [ownLoginRequired, invalidState],
  emits: [amendmentDeclined, amendmentStatusUpdated],

  async handle({ reason = null, ...path }, context) {
    const { organization_id, person_id, actor } = requireOwnLogin(context.caller)
    const wanted = { organization_id, worker_id: person_id, ...path }
    const { locked, before } = await lockAmendment(context.tx, wanted)
    requireStatus(before, 'pending')
    return amendment.show(await declineAmendment(locked, before, { by: actor, reason }, context))
  },
})

type Needs = Pick<Context<typeof amendmentDeclined | typeof amendmentStatusUpdated>, 'tx' | 'now' | 'emit'>

/** Says no to an open amendment: the worker declines, the client withdraws, or the contract ends. */
async function declineAmendment(
  of: ContractRow,
  before: AmendmentRow,
  { by, reason }: { by: Actor; reason: string | null },
  { tx, now, emit }: Needs,
): Promise<AmendmentRow> {
  const row = await amendment.save(tx, before, declined(before, by, reason, now))
  emit(amendmentDeclined, { ...amendmentEntry(row, of), declined_by: by, reason })
  emit(amendmentStatusUpdated, movedEntry(row, before, of))
  return row
}

/** A contract has ended: what is open is declined, what was agreed is outdated (domain rules 3.2). */
export async function endAmendments(ended: ContractRow, context: Needs): Promise<void> {
  const { tx, now, emit } = context
  const { organization_id, id } = ended
  for (const before of await amendmentsIn(tx, organization_id, id, ['active', 'approved'])) {
    const row = await amendment.save(tx, before, outdated(before, now))
    if (before.status === 'approved') await cancelEffectiveTimer(tx, before)
    emit(amendmentStatusUpdated, movedEntry(row, before, ended))
  }
  for (const row of await amendmentsIn(tx, organization_id, id, ['initial', 'pending'])) {
    await declineAmendment(ended, row, { by: system_actor, reason: 'contract_ended' }, context)
  }
}
