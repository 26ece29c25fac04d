import { getOrganization } from './get-organization.ts'
import { listOrganizations } from './list-organizations.ts'
import { updateOrganization } from './update-organization.ts'

export const organizationOperations = [listOrganizations, getOrganization, updateOrganization]

export { anyOrganization, findOrganizationsByName, insertOrganization } from './organization.store.ts'
export { default_settings, type OrganizationRow, organization, showOrganization } from './organization.ts'
