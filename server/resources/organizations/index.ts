import { getOrganization, listOrganizations } from './read-organizations.ts'
import { updateOrganization } from './update-organization.ts'

export const organizationOperations = [listOrganizations, getOrganization, updateOrganization]

export {
  anyOrganization,
  findOrganizationsByName,
  insertOrganization,
  listOrganizations,
} from './organization.store.ts'
export {
  default_settings,
  needsSecondPerson,
  type OrganizationRow,
  organization,
  showOrganization,
} from './organization.ts'
