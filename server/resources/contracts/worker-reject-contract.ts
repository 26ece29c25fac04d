import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractEntry, contractRejected, contractStatusUpdated } from './events.ts'
import { reject } from './lifecycle.ts'
import { requireOwnLogin } from './own-login.ts'
import { alreadySigned, ownLoginRequired } from './problems.ts'

export const workerRejectContract = defineOperation({
  id: 'worker.reject_contract',
  subject: 'contracts',
  summary: 'Reject one of the calling worker’s pending contracts',
  method: 'POST',
  path: '/worker/contracts/:contract_id/reject',
  scopes: ['worker:write'],
  input: Closed({ ...ContractPath, reason: Type.Optional(Nullable(Text(0, 500))) }),
  output: Contract,
  problems: [ownLoginRequired, invalidState, alreadySigned],
  emits: [contractRejected, contractStatusUpdated, personUpdated],

  async handle({ contract_id, reason = null }, context) {
    const { tx, now, emit } = context
    const { organization_id, person_id } = requireOwnLogin(context.caller)
    const before = await lockContract(tx, organization_id, contract_id, person_id)
    const { row, worker } = await changeContract(tx, before, reject(before, reason, now))
    emit(contractRejected, { ...contractEntry(row), reason })
    emit(contractStatusUpdated, { ...contractEntry(row), previous_status: before.status })
    emitWorkerStatus(context, worker)
    return contractOf(row)
  },
})
