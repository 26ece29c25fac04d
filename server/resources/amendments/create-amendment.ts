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
    text: 'Draft new terms for an active contract. They take effect when the company (sign_contract_amendment) and then the worker have signed. Give only the terms that change. frequency, cycle_end_type and cycle_end change on the first day of a payment cycle.',
    example: {
      contract_id: '019cadc6-9a80-70df-929e-750f1228d11d',
      effective_date: '2027-02-01',
      reason: 'Yearly raise',
      terms: { amount: '4500.00' },
    },
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
