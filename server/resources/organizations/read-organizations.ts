import { holdsScope } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { type OrganizationRow, organization, showOrganization } from './organization.ts'

export const listOrganizations = defineOperation({
  id: 'organizations.list',
  summary: 'List the organizations this credential reaches',
  description: 'One for an organization token: the call that verifies that a token works.',
  method: 'GET',
  path: '/organizations',
  scopes: [],
  input: Closed(PageInput),
  output: PageOf(organization.answer),
  tool: {
    name: 'list_organizations',
    text: 'Show the organization this connection works in; settings and clock_now only with organizations:read.',
  },

  handle(_, { caller, page, now }) {
    const shows_settings = holdsScope(caller, 'organizations:read')
    return page(organization.list(caller.organization_id, {}), (row: OrganizationRow) =>
      shows_settings ? showOrganization(row, now) : organization.show(row),
    )
  },
})

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
