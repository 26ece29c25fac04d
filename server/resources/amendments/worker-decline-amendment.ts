import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { ownLoginRequired, requireOwnLogin } from '#resources/contracts/index.ts'
import { requireStatus } from './amendment.ts'
import { Amendment, amendmentOf, DeclineInput } from './amendment-schema.ts'
import { declineAmendment } from './end-amendments.ts'
import { amendmentDeclined, amendmentStatusUpdated } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'

export const workerDeclineAmendment = defineOperation({
  id: 'worker.decline_amendment',
  summary: 'Decline an amendment as the worker',
  method: 'POST',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/decline',
  scopes: ['worker:write'],
  input: DeclineInput,
  output: Amendment,
  subject: 'amendments',
  problems: [ownLoginRequired, invalidState],
  emits: [amendmentDeclined, amendmentStatusUpdated],

  async handle({ reason = null, ...path }, context) {
    const { organization_id, person_id, actor } = requireOwnLogin(context.caller)
    const wanted = { organization_id, worker_id: person_id, ...path }
    const { contract, amendment } = await lockAmendment(context.tx, wanted)
    requireStatus(amendment, 'pending')
    return amendmentOf(await declineAmendment(contract, amendment, { by: actor, reason }, context), contract)
  },
})
