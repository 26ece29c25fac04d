import { defineOperation } from '#core/operation.ts'
import { saveAmendment } from './amendment.store.ts'
import { requireStatus, revised } from './amendment.ts'
import { Amendment, AmendmentChangeInput, amendmentOf } from './amendment-schema.ts'
import { amendmentEntry, amendmentUpdated } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'
import { proposalProblems, propose } from './propose.ts'

export const updateAmendment = defineOperation({
  id: 'amendments.update',
  summary: 'Change the draft of an amendment',
  description: 'Only before the client has signed. `terms` are replaced as a whole.',
  method: 'PATCH',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: AmendmentChangeInput,
  output: Amendment,
  problems: [...proposalProblems],
  emits: [amendmentUpdated],

  async handle({ contract_id, amendment_id, ...change }, context) {
    const { caller, tx, emit } = context
    const { organization_id } = caller
    const { contract, amendment } = await lockAmendment(tx, { organization_id, contract_id, amendment_id })
    requireStatus(amendment, 'initial')
    const { terms, effective_date, reason } = { ...amendment, ...change }
    const proposal = await propose(contract, { terms, effective_date }, context)
    const saved = await saveAmendment(tx, revised(amendment, { ...proposal, reason }))
    emit(amendmentUpdated, amendmentEntry(saved, contract))
    return amendmentOf(saved, contract)
  },
})
