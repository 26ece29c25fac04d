import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { changeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractEntry, contractUnarchived } from './events.ts'
import { unarchive } from './lifecycle.ts'

export const unarchiveContract = defineOperation({
  id: 'contracts.unarchive',
  summary: 'Take a contract out of the archive',
  method: 'POST',
  path: '/contracts/:contract_id/unarchive',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(ContractPath),
  output: Contract,
  problems: [invalidState],
  emits: [contractUnarchived],

  async handle({ contract_id }, { caller, tx, emit }) {
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const { row } = await changeContract(tx, before, unarchive(before))
    emit(contractUnarchived, { ...contractEntry(row), archived_at: row.archived_at })
    return contractOf(row)
  },
})
