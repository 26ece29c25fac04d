import { type Context, defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf, type Static } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { ofContract, shown_to_worker } from './amendment.store.ts'
import { AmendmentPath, amendment } from './amendment.ts'

const Filter = Closed({ ...PageInput, ...contract.path, ...amendment.filters })
const Path = Closed(AmendmentPath)
type Reader = 'client' | 'worker'

export const listAmendments = defineOperation({
  ...listing('client'),
  id: 'amendments.list',
  summary: 'List the amendments of a contract',
  description: 'Amendments are also called work statements.',
  path: '/contracts/:contract_id/amendments',
  scopes: ['contracts:read', 'contracts:write'],
  tool: {
    name: 'list_contract_amendments',
    text: 'List the amendments of a contract, by status or sign status.',
    yields: { amendment_id: 'id' },
  },
})

export const workerListAmendments = defineOperation({
  ...listing('worker'),
  id: 'worker.list_amendments',
  summary: 'List the amendments of an own contract',
  description: 'From the signature of the client on; its drafts are left out.',
  path: '/worker/contracts/:contract_id/amendments',
  scopes: ['worker:read'],
  tool: {
    name: 'list_my_amendments',
    text: 'List the amendments of one of the calling worker’s own contracts, those to be signed among them.',
    yields: { amendment_id: 'id' },
  },
})

export const getAmendment = defineOperation({
  ...reading('client'),
  id: 'amendments.get',
  summary: 'Get an amendment',
  path: '/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['contracts:read'],
  tool: { name: 'get_contract_amendment', text: 'Get one amendment with its changes.' },
})

export const workerGetAmendment = defineOperation({
  ...reading('worker'),
  id: 'worker.get_amendment',
  summary: 'Get an amendment of an own contract',
  description: 'From the signature of the client on; its drafts are not found.',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id',
  scopes: ['worker:read'],
})

function listing(reader: Reader) {
  return {
    method: 'GET',
    input: Filter,
    output: PageOf(amendment.answer),

    async handle({ contract_id, ...filter }: Static<typeof Filter>, context: Context) {
      await contract.get(context.tx, seenBy(reader, contract_id, context))
      const shown = reader === 'worker' ? [shown_to_worker] : []
      return amendment.page(context, filter, [ofContract(contract_id), ...shown])
    },
  } as const
}

function reading(reader: Reader) {
  return {
    method: 'GET',
    input: Path,
    output: amendment.answer,
    lock: ({ contract_id }: Static<typeof Path>, context: Context) =>
      contract.lock(context.tx, seenBy(reader, contract_id, context)),

    async handle({ contract_id, amendment_id: id }: Static<typeof Path>, context: Context) {
      const { caller, tx } = context
      const [row] = await Promise.all([
        amendment.get(tx, { organization_id: caller.organization_id, contract_id, id }),
        contract.get(tx, seenBy(reader, contract_id, context)),
      ])
      if (reader === 'worker' && row.status === 'initial') throw notFound()
      return amendment.show(row)
    },
  } as const
}

/** The contract of a path; a worker sees its own ones only. */
function seenBy(reader: Reader, id: string, { caller }: Context) {
  return { organization_id: caller.organization_id, id, ...(reader === 'worker' && { worker_id: workerOf(caller) }) }
}
