import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf, SetOf, Type } from '#core/schema/schema.ts'
import { workerOf } from '#resources/people/index.ts'
import { contractList } from './contract.store.ts'
import { contract_statuses } from './contract.ts'
import { Contract, contractOf } from './contract-schema.ts'

export const workerListContracts = defineOperation({
  id: 'worker.list_contracts',
  summary: 'List the calling worker’s contracts',
  method: 'GET',
  path: '/worker/contracts',
  scopes: ['worker:read'],
  input: Closed({
    ...PageInput,
    statuses: Type.Optional(SetOf(Type.Enum([...contract_statuses]), { description: 'Any of these statuses.' })),
  }),
  output: PageOf(Contract),
  tool: {
    name: 'list_my_contracts',
    text: 'List the calling worker’s own contracts.',
    yields: { contract_id: 'id' },
  },

  handle: (filter, { caller, page }) =>
    page(contractList(caller.organization_id, { ...filter, worker_id: workerOf(caller) }), contractOf),
})
