import { defineOperation } from '#core/operation.ts'
import { lockContract } from '#resources/contracts/index.ts'
import { insertAmendment } from './amendment.store.ts'
import { draftOf } from './amendment.ts'
import { Amendment, amendmentOf, NewAmendmentInput } from './amendment-schema.ts'
import { amendmentCreated, amendmentEntry } from './events.ts'
import { openAmendmentExists } from './problems.ts'
import { proposalProblems, propose } from './propose.ts'

export const createAmendment = defineOperation({
  id: 'amendments.create',
  summary: 'Draft an amendment of a contract',
  description: 'It takes effect when both parties have signed and its date has come.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: NewAmendmentInput,
  output: Amendment,
  status: 201,
  problems: [openAmendmentExists, ...proposalProblems],
  emits: [amendmentCreated],
  tool: {
    name: 'create_contract_amendment',
    text: 'Draft new terms for an active contract; both parties must sign.',
  },

  async handle({ contract_id, effective_date = null, reason = null, terms }, context) {
    const { caller, tx, newId, emit } = context
    const { organization_id } = caller
    const contract = await lockContract(tx, organization_id, contract_id)
    const proposal = await propose(contract, { terms, effective_date }, context)
    const amendment = draftOf({
      ...proposal,
      organization_id,
      id: newId(),
      contract_id,
      reason,
      created_by: caller.actor,
      created_at: tx.now,
    })
    await insertAmendment(tx, amendment)
    emit(amendmentCreated, amendmentEntry(amendment, contract))
    return amendmentOf(amendment, contract)
  },
})
