import { hasDependents } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { workingLocation, workingLocationEvents, workingLocationRemoving } from './working-location.ts'

export { workingLocation, workingLocationRemoving }

export const workingLocationOperations = defineStandardOperations(workingLocation, {
  id: 'working_locations',
  one: 'a working location',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: workingLocationEvents,
  removing: workingLocationRemoving,
  problems: { delete: [hasDependents] },
  description: { delete: 'Only without people who work there.' },
})
