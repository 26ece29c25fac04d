import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findContract, lockContract } from '#resources/contracts/index.ts'
import { findAmendment } from './amendment.store.ts'
import { Amendment, AmendmentPath, amendmentOf } from './amendment-schema.ts'

export const getAmendment = defineOperation({
  id: 'amendments.get',
  summary: 'Get an amendment',
  method: 'GET',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:read'],
  input: Closed(AmendmentPath),
  output: Amendment,
  tool: { name: 'get_contract_amendment', text: 'Get one amendment with its changes.' },

  lock: ({ contract_id }, { caller, tx }) => lockContract(tx, caller.organization_id, contract_id),

  async handle({ contract_id, amendment_id }, { caller: { organization_id }, tx }) {
    const [contract, amendment] = await Promise.all([
      findContract(tx, organization_id, contract_id),
      findAmendment(tx, organization_id, contract_id, amendment_id),
    ])
    if (!contract || !amendment) throw notFound()
    return amendmentOf(amendment, contract)
  },
})
