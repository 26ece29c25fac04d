import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, PageOf } from '#core/schema/schema.ts'
import { findContract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { amendmentList } from './amendment.store.ts'
import type { AmendmentRow } from './amendment.ts'
import { Amendment, AmendmentFilter, amendmentOf } from './amendment-schema.ts'

export const workerListAmendments = defineOperation({
  id: 'worker.list_amendments',
  summary: 'List the amendments of an own contract',
  description: 'From the signature of the client on; its drafts are left out.',
  method: 'GET',
  path: '/worker/contracts/:contract_id/amendments',
  scopes: ['worker:read'],
  input: Closed(AmendmentFilter),
  output: PageOf(Amendment),
  tool: {
    name: 'list_my_amendments',
    text: 'List the amendments of one of the calling worker’s own contracts, those to be signed among them.',
    yields: { amendment_id: 'id' },
  },

  async handle({ contract_id, ...filter }, { caller, tx, page }) {
    const { organization_id } = caller
    const contract = await findContract(tx, organization_id, contract_id, workerOf(caller))
    if (!contract) throw notFound()
    const list = amendmentList(organization_id, contract_id, { ...filter, without_initial: true })
    return page(list, (row: AmendmentRow) => amendmentOf(row, contract))
  },
})
