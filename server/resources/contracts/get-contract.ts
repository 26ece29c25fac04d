import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findContract, lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'

export const getContract = defineOperation({
  id: 'contracts.get',
  summary: 'Get a contract',
  method: 'GET',
  path: '/contracts/:contract_id',
  scopes: ['contracts:read'],
  input: Closed(ContractPath),
  output: Contract,
  tool: { name: 'get_contract', text: 'Get one contract with terms, signatures and status.' },

  lock: ({ contract_id }, { caller, tx }) => lockContract(tx, caller.organization_id, contract_id),

  async handle({ contract_id }, { caller, tx }) {
    const row = await findContract(tx, caller.organization_id, contract_id)
    if (!row) throw notFound()
    return contractOf(row)
  },
})
