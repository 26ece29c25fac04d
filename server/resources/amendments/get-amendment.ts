import { type Context, defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { AmendmentPath, amendment } from './amendment.ts'

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
