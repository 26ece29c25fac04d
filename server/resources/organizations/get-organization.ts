import { defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { organization, showOrganization } from './organization.ts'

export const getOrganization = defineOperation({
  id: 'organizations.get',
  summary: 'Get the organization of the credential',
  method: 'GET',
  path: '/organizations/:organization_id',
  scopes: ['organizations:read'],
  input: Closed(organization.path),
  output: organization.answer,

  lock: ({ organization_id: id }, { caller: { organization_id }, tx }) =>
    organization.lock(tx, { organization_id, id }),
  handle: async ({ organization_id: id }, { caller: { organization_id }, tx, now }) =>
    showOrganization(await organization.get(tx, { organization_id, id }), now),
})
