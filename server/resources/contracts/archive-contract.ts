import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { changeContract } from './change-contract.ts'
import { contract } from './contract.ts'
import { contractArchived, contractUnarchived } from './events.ts'
import { archive, unarchive } from './lifecycle.ts'

export const archiveContract = defineOperation({
  id: 'contracts.archive',
  summary: 'Put an ended contract into the archive',
  method: 'POST',
  path: '/contracts/:contract_id/archive',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(contract.path),
  output: contract.answer,
  problems: [invalidState],
  emits: [contractArchived],

  async handle({ contract_id: id }, { caller, tx, now, emit }) {
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const { row } = await changeContract(tx, before, archive(before, now))
    emit(contractArchived, { ...contract.entryOf(row), archived_at: row.archived_at })
    return contract.show(row)
  },
})

export const unarchiveContract = defineOperation({
  id: 'contracts.unarchive',
  summary: 'Take a contract out of the archive',
  method: 'POST',
  path: '/contracts/:contract_id/unarchive',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(contract.path),
  output: contract.answer,
  problems: [invalidState],
  emits: [contractUnarchived],

  async handle({ contract_id: id }, { caller, tx, emit }) {
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const { row } = await changeContract(tx, before, unarchive(before))
    emit(contractUnarchived, { ...contract.entryOf(row), archived_at: row.archived_at })
    return contract.show(row)
  },
})
