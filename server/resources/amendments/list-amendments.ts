import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, PageOf } from '#core/schema/schema.ts'
import { findContract } from '#resources/contracts/index.ts'
import { amendmentList } from './amendment.store.ts'
import type { AmendmentRow } from './amendment.ts'
import { Amendment, AmendmentFilter, amendmentOf } from './amendment-schema.ts'

export const listAmendments = defineOperation({
  id: 'amendments.list',
  summary: 'List the amendments of a contract',
  description: 'Amendments are also called work statements.',
  method: 'GET',
  path: '/contracts/:contract_id/amendments',
  scopes: ['contracts:read', 'contracts:write'],
  input: Closed(AmendmentFilter),
  output: PageOf(Amendment),
  tool: {
    name: 'list_contract_amendments',
    text: 'List the amendments of a contract, by status or sign status.',
    yields: { amendment_id: 'id' },
  },

  async handle({ contract_id, ...filter }, { caller: { organization_id }, tx, page }) {
    const contract = await findContract(tx, organization_id, contract_id)
    if (!contract) throw notFound()
    return page(amendmentList(organization_id, contract_id, filter), (row: AmendmentRow) => amendmentOf(row, contract))
  },
})
