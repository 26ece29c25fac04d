import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { contract } from './contract.ts'
import { contractCancelled, contractRejected, contractStatusUpdated } from './events.ts'
import { cancel, reject } from './lifecycle.ts'
import { alreadySigned, ownLoginRequired, requireOwnLogin } from './problems.ts'

export const cancelContract = defineOperation({
  id: 'contracts.cancel',
  summary: 'Withdraw a contract that is not active yet',
  method: 'POST',
  path: '/contracts/:contract_id/cancel',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...contract.path,
    reason: Type.Optional(
      Nullable(Text(0, 500, { description: 'Why it is withdrawn.', example: 'The dates have changed.' })),
    ),
  }),
  output: contract.answer,
  problems: [invalidState],
  emits: [contractCancelled, contractStatusUpdated, personUpdated],
  tool: { name: 'cancel_contract', text: 'Withdraw a pending contract for good. An active one: terminate_contract.' },

  async handle({ contract_id: id, reason = null }, context) {
    const { caller, tx, now, emit } = context
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const { row, worker } = await changeContract(tx, before, cancel(before, reason, now))
    emit(contractCancelled, { ...contract.entryOf(row), reason })
    emit(contractStatusUpdated, { ...contract.entryOf(row), previous_status: before.status })
    emitWorkerStatus(context, worker)
    return contract.show(row)
  },
})

export const workerRejectContract = defineOperation({
  id: 'worker.reject_contract',
  subject: 'contracts',
  summary: 'Reject one of the calling worker’s pending contracts',
  method: 'POST',
  path: '/worker/contracts/:contract_id/reject',
  scopes: ['worker:write'],
  input: Closed({
    ...contract.path,
    reason: Type.Optional(Nullable(Text(0, 500, { example: 'The rate is too low.' }))),
  }),
  output: contract.answer,
  problems: [ownLoginRequired, invalidState, alreadySigned],
  emits: [contractRejected, contractStatusUpdated, personUpdated],

  async handle({ contract_id: id, reason = null }, context) {
    const { tx, now, emit } = context
    const { organization_id, person_id: worker_id } = requireOwnLogin(context.caller)
    const before = await contract.lock(tx, { organization_id, id, worker_id })
    const { row, worker } = await changeContract(tx, before, reject(before, reason, now))
    emit(contractRejected, { ...contract.entryOf(row), reason })
    emit(contractStatusUpdated, { ...contract.entryOf(row), previous_status: before.status })
    emitWorkerStatus(context, worker)
    return contract.show(row)
  },
})
