import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { workerOf } from '#resources/people/index.ts'
import { findContract, lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'

export const workerGetContract = defineOperation({
  id: 'worker.get_contract',
  summary: 'Get one of the calling worker’s contracts',
  method: 'GET',
  path: '/worker/contracts/:contract_id',
  scopes: ['worker:read'],
  input: Closed(ContractPath),
  output: Contract,

  lock: ({ contract_id }, { caller, tx }) => lockContract(tx, caller.organization_id, contract_id, workerOf(caller)),

  async handle({ contract_id }, { caller, tx }) {
    const row = await findContract(tx, caller.organization_id, contract_id, workerOf(caller))
    if (!row) throw notFound()
    return contractOf(row)
  },
})
