import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findContract, lockContract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { findAmendment } from './amendment.store.ts'
import { Amendment, AmendmentPath, amendmentOf } from './amendment-schema.ts'

export const workerGetAmendment = defineOperation({
  id: 'worker.get_amendment',
  summary: 'Get an amendment of an own contract',
  description: 'From the signature of the client on; its drafts are not found.',
  method: 'GET',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['worker:read'],
  input: Closed(AmendmentPath),
  output: Amendment,

  lock: ({ contract_id }, { caller, tx }) => lockContract(tx, caller.organization_id, contract_id, workerOf(caller)),

  async handle({ contract_id, amendment_id }, { caller, tx }) {
    const { organization_id } = caller
    const [contract, amendment] = await Promise.all([
      findContract(tx, organization_id, contract_id, workerOf(caller)),
      findAmendment(tx, organization_id, contract_id, amendment_id),
    ])
    if (!contract || !amendment || amendment.status === 'initial') throw notFound()
    return amendmentOf(amendment, contract)
  },
})
