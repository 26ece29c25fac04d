import { listOrganizations } from './list-organizations.ts'

export const organizationOperations = [listOrganizations]

export { anyOrganization, findOrganizationsByName, insertOrganization } from './organization.store.ts'
export type { OrganizationRow } from './organization.ts'
