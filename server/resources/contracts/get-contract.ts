import { type Context, defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { workerOf } from '#resources/people/index.ts'
import { contract } from './contract.ts'

export const getContract = defineOperation({
  id: 'contracts.get',
  summary: 'Get a contract',
  method: 'GET',
  path: '/contracts/:contract_id',
  scopes: ['contracts:read'],
  input: Closed(contract.path),
  output: contract.answer,
  tool: { name: 'get_contract', text: 'Get one contract with terms, signatures and status.' },
  lock: (input, { caller, tx }) => contract.lock(tx, named(input, caller)),
  handle: async (input, { caller, tx }) => contract.show(await contract.get(tx, named(input, caller))),
})

export const workerGetContract = defineOperation({
  id: 'worker.get_contract',
  summary: 'Get one of the calling worker’s contracts',
  method: 'GET',
  path: '/worker/contracts/:contract_id',
  scopes: ['worker:read'],
  input: Closed(contract.path),
  output: contract.answer,
  lock: (input, { caller, tx }) => contract.lock(tx, own(input, caller)),
  handle: async (input, { caller, tx }) => contract.show(await contract.get(tx, own(input, caller))),
})

type Named = { contract_id: string }

function named({ contract_id: id }: Named, { organization_id }: Context['caller']) {
  return { organization_id, id }
}

function own({ contract_id: id }: Named, caller: Context['caller']) {
  return { organization_id: caller.organization_id, id, worker_id: workerOf(caller) }
}
