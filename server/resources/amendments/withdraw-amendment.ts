import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Amendment, amendmentOf, DeclineInput } from './amendment-schema.ts'
import { declineAmendment } from './end-amendments.ts'
import { amendmentDeclined, amendmentStatusUpdated } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'

export const withdrawAmendment = defineOperation({
  id: 'amendments.withdraw',
  summary: 'Withdraw an amendment',
  description: 'Only before the worker has signed.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments/:amendment_id/withdraw',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: DeclineInput,
  output: Amendment,
  problems: [invalidState],
  emits: [amendmentDeclined, amendmentStatusUpdated],
  tool: {
    name: 'withdraw_contract_amendment',
    text: 'Withdraw an amendment for good, before the worker has signed it.',
  },

  async handle({ reason = null, ...path }, context) {
    const { organization_id, actor } = context.caller
    const { contract, amendment } = await lockAmendment(context.tx, { organization_id, ...path })
    return amendmentOf(await declineAmendment(contract, amendment, { by: actor, reason }, context), contract)
  },
})
