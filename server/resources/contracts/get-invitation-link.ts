import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, Timestamp, Type } from '#core/schema/schema.ts'
import { findContract, findSealedInvitation } from './contract.store.ts'
import { ContractPath } from './contract-schema.ts'
import { invitationLink } from './invitation-link.ts'
import { openInvitation } from './lifecycle.ts'
import { noOpenInvitation } from './problems.ts'

export const getInvitationLink = defineOperation({
  id: 'contracts.get_invitation_link',
  summary: 'Read the link of the open invitation',
  description: 'For handing it to the worker by another way. Whoever has the link can take the worker’s place.',
  method: 'GET',
  path: '/contracts/:contract_id/invitation-link',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(ContractPath),
  output: Type.Object({ url: Type.String(), expires_at: Timestamp }),
  problems: [noOpenInvitation],
  reveals_secret: { field: 'url' },

  async handle({ contract_id }, { caller, tx, now, secrets, rooms }) {
    const { organization_id } = caller
    const row = await findContract(tx, organization_id, contract_id)
    if (!row) throw notFound()
    const { expires_at } = openInvitation(row, now)
    const sealed = await findSealedInvitation(tx, organization_id, contract_id)
    if (!sealed) throw noOpenInvitation()
    return { url: invitationLink(rooms.contracts.origin, secrets, row, sealed), expires_at }
  },
})
