import { type Context, defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { workerOf } from '#resources/people/index.ts'
import { ofWorker } from './contract.store.ts'
import { contract } from './contract.ts'

export const listContracts = defineOperation({
  id: 'contracts.list',
  summary: 'List contracts',
  method: 'GET',
  path: '/contracts',
  scopes: ['contracts:read'],
  input: Closed({ ...PageInput, ...contract.filters }),
  output: PageOf(contract.answer),
  problems: [referenceNotFound],
  tool: {
    name: 'list_contracts',
    text: 'Find contracts by status, type, worker, country or text.',
    yields: { contract_id: 'id', legal_entity_id: 'legal_entity.id' },
  },

  handle: (filter, context) => contract.page(context, filter),
})

export const workerListContracts = defineOperation({
  id: 'worker.list_contracts',
  summary: 'List the calling worker’s contracts',
  method: 'GET',
  path: '/worker/contracts',
  scopes: ['worker:read'],
  input: Closed({ ...PageInput, statuses: contract.filters.statuses }),
  output: PageOf(contract.answer),
  tool: {
    name: 'list_my_contracts',
    text: 'List the calling worker’s own contracts.',
    yields: { contract_id: 'id' },
  },

  handle: (filter, context) => contract.page(context, filter, [ofWorker(workerOf(context.caller))]),
})

export const getContract = defineOperation({
  id: 'contracts.get',
  summary: 'Get a contract',
  method: 'GET',
  path: '/contracts/:contract_id',
  scopes: ['contracts:read'],
  input: Closed(contract.path),
  output: contract.answer,
  tool: { name: 'get_contract', text: 'Get one contract with terms, signatures and status.' },
  lock: ({ contract_id: id }, { caller: { organization_id }, tx }) => contract.lock(tx, { organization_id, id }),
  handle: async ({ contract_id: id }, { caller: { organization_id }, tx }) =>
    contract.show(await contract.get(tx, { organization_id, id })),
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

function own({ contract_id: id }: { contract_id: string }, caller: Context['caller']) {
  return { organization_id: caller.organization_id, id, worker_id: workerOf(caller) }
}
