import { defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { amendment, inStatus } from './amendment.ts'
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
  input: Closed({ ...contract.path, ...amendment.create }),
  output: amendment.answer,
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
    const locked = await contract.lock(tx, { organization_id, id: contract_id })
    const proposal = await propose(locked, { terms, effective_date }, context)
    const draft = amendment.newRow({
      ...proposal,
      ...inStatus('initial'),
      organization_id,
      id: newId(),
      contract_id,
      contract_name: locked.title,
      contract_type: locked.type,
      currency: locked.currency,
      reason,
      created_by: caller.actor,
      created_at: tx.now,
      updated_at: tx.now,
    })
    await amendment.insert(tx, draft)
    emit(amendmentCreated, amendmentEntry(draft, locked))
    return amendment.show(draft)
  },
})
