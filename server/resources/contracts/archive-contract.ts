import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { changeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractArchived, contractEntry } from './events.ts'
import { archive } from './lifecycle.ts'

export const archiveContract = defineOperation({
  id: 'contracts.archive',
  summary: 'Put an ended contract into the archive',
  method: 'POST',
  path: '/contracts/:contract_id/archive',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(ContractPath),
  output: Contract,
  problems: [invalidState],
  emits: [contractArchived],

  async handle({ contract_id }, { caller, tx, now, emit }) {
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const { row } = await changeContract(tx, before, archive(before, now))
    emit(contractArchived, { ...contractEntry(row), archived_at: row.archived_at })
    return contractOf(row)
  },
})
