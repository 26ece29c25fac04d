import { externalIdInUse, hasDependents, nameInUse, refuseDuplicate } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { workingLocation, workingLocationEvents, workingLocationRemoving } from './working-location.ts'

export { workingLocation, workingLocationRemoving }

refuseDuplicate('working_locations_name', nameInUse, 'Another working location has this name.', '/name')
refuseDuplicate(
  'working_locations_external_id',
  externalIdInUse,
  'Another working location has this external_id.',
  '/external_id',
)

const duplicates = [nameInUse, externalIdInUse]

export const workingLocationOperations = defineStandardOperations(workingLocation, {
  id: 'working_locations',
  one: 'a working location',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: workingLocationEvents,
  removing: workingLocationRemoving,
  problems: { create: duplicates, update: duplicates, delete: [hasDependents] },
  description: { delete: 'Only without people who work there.' },
})
