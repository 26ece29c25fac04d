import { type Context, defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { ofContract, shown_to_worker } from './amendment.store.ts'
import { AmendmentPath, amendment } from './amendment.ts'

const Filter = Closed({ ...PageInput, ...contract.path, ...amendment.filters })

export const listAmendments = defineOperation({
  id: 'amendments.list',
  summary: 'List the amendments of a contract',
  description: 'Amendments are also called work statements.',
  method: 'GET',
  path: '/contracts/:contract_id/amendments',
  scopes: ['contracts:read', 'contracts:write'],
  input: Filter,
  output: PageOf(amendment.answer),
  tool: {
    name: 'list_contract_amendments',
    text: 'List the amendments of a contract, by status or sign status.',
    yields: { amendment_id: 'id' },
  },

  async handle({ contract_id, ...filter }, context) {
    const { caller, tx } = context
    await contract.get(tx, { organization_id: caller.organization_id, id: contract_id })
    return amendment.page(context, filter, [ofContract(contract_id)])
  },
})

export const workerListAmendments = defineOperation({
  id: 'worker.list_amendments',
  summary: 'List the amendments of an own contract',
  description: 'From the signature of the client on; its drafts are left out.',
  method: 'GET',
  path: '/worker/contracts/:contract_id/amendments',
  scopes: ['worker:read'],
  input: Filter,
  output: PageOf(amendment.answer),
  tool: {
    name: 'list_my_amendments',
    text: 'List the amendments of one of the calling worker’s own contracts, those to be signed among them.',
    yields: { amendment_id: 'id' },
  },

  async handle({ contract_id, ...filter }, context) {
    const { caller, tx } = context
    const { organization_id } = caller
    await contract.get(tx, { organization_id, id: contract_id, worker_id: workerOf(caller) })
    return amendment.page(context, filter, [ofContract(contract_id), shown_to_worker])
  },
})

export const getAmendment = defineOperation({
  id: 'amendments.get',
  summary: 'Get an amendment',
  method: 'GET',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:read'],
  input: Closed(AmendmentPath),
  output: amendment.answer,
  tool: { name: 'get_contract_amendment', text: 'Get one amendment with its changes.' },

  lock: ({ contract_id }, { caller: { organization_id }, tx }) =>
    contract.lock(tx, { organization_id, id: contract_id }),
  handle: async (input, context) => amendment.show(await find(input, undefined, context)),
})

export const workerGetAmendment = defineOperation({
  id: 'worker.get_amendment',
  summary: 'Get an amendment of an own contract',
  description: 'From the signature of the client on; its drafts are not found.',
  method: 'GET',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['worker:read'],
  input: Closed(AmendmentPath),
  output: amendment.answer,

  lock: ({ contract_id }, { caller, tx }) =>
    contract.lock(tx, { organization_id: caller.organization_id, id: contract_id, worker_id: workerOf(caller) }),

  async handle(input, context) {
    const row = await find(input, workerOf(context.caller), context)
    if (row.status === 'initial') throw notFound()
    return amendment.show(row)
  },
})

async function find(
  { contract_id, amendment_id }: { contract_id: string; amendment_id: string },
  worker_id: string | undefined,
  { caller: { organization_id }, tx }: Pick<Context, 'caller' | 'tx'>,
) {
  const [, row] = await Promise.all([
    contract.get(tx, { organization_id, id: contract_id, worker_id }),
    amendment.get(tx, { organization_id, contract_id, id: amendment_id }),
  ])
  return row
}
