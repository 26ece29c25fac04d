import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractTerminationCancelled, terminationEntry } from './events.ts'
import { cancelTermination } from './lifecycle.ts'

export const cancelContractTermination = defineOperation({
  id: 'contracts.cancel_termination',
  summary: 'Withdraw the termination of an active contract',
  method: 'POST',
  path: '/contracts/:contract_id/cancel-termination',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(ContractPath),
  output: Contract,
  problems: [invalidState],
  emits: [contractTerminationCancelled, personUpdated],

  async handle({ contract_id }, context) {
    const { caller, tx, emit } = context
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const { row, worker } = await changeContract(tx, before, cancelTermination(before, context.now))
    emit(contractTerminationCancelled, terminationEntry(row, before))
    emitWorkerStatus(context, worker)
    return contractOf(row)
  },
})
