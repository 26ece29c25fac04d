import { defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { changeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { contractInvitationRevoked, invitationEntry } from './events.ts'
import { openInvitation } from './lifecycle.ts'
import { noOpenInvitation } from './problems.ts'

export const revokeInvitation = defineOperation({
  id: 'contracts.revoke_invitation',
  summary: 'Take back the open invitation',
  method: 'POST',
  path: '/contracts/:contract_id/revoke-invitation',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(ContractPath),
  output: Contract,
  problems: [noOpenInvitation],
  emits: [contractInvitationRevoked],

  async handle({ contract_id }, { caller, tx, now, emit }) {
    const before = await lockContract(tx, caller.organization_id, contract_id)
    const invitation = openInvitation(before, now)
    const { row } = await changeContract(tx, before, { ...before, invitation: null })
    emit(contractInvitationRevoked, invitationEntry(row, invitation))
    return contractOf(row)
  },
})
