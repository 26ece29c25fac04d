import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractCancelled, contractEntry, contractStatusUpdated } from './events.ts'
import { cancel } from './lifecycle.ts'

export const cancelContract = defineOperation({
  id: 'contracts.cancel',
  summary: 'Withdraw a contract that is not active yet',
  method: 'POST',
  path: '/contracts/:contract_id/cancel',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...ContractPath,
    reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why it is withdrawn.' }))),
  }),
  output: Contract,
  problems: [invalidState],
  emits: [contractCancelled, contractStatusUpdated, personUpdated],
  tool: { name: 'cancel_contract', text: 'Withdraw a pending contract for good. An active one: terminate_contract.' },

  async handle({ contract_id, reason = null }, context) {
    const { caller, tx, now, emit } = context
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const { row, worker } = await changeContract(tx, before, cancel(before, reason, now))
    emit(contractCancelled, { ...contractEntry(row), reason })
    emit(contractStatusUpdated, { ...contractEntry(row), previous_status: before.status })
    emitWorkerStatus(context, worker)
    return contractOf(row)
  },
})
