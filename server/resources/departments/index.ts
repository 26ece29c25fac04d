import { refuseWhileNamed } from '#core/dependents.ts'
import { hasDependents, hierarchyCycle, referenceNotFound } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { requirePlace } from '#core/tree.ts'
import { standing_departments } from './department.store.ts'
import { department, departmentEvents, departmentRemoving } from './department.ts'

export { departmentNamed } from './department-named.ts'
export { department, departmentEvents, departmentRemoving }

const tree = { table: 'departments', parent: 'parent_id', levels_max: 10 } as const
const problems = [hierarchyCycle, referenceNotFound]

export const departmentOperations = defineStandardOperations(department, {
  id: 'departments',
  one: 'a department',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: departmentEvents,
  removing: departmentRemoving,
  problems: { list: [referenceNotFound], create: problems, update: problems, delete: [hasDependents] },
  description: {
    create: 'A name is used once below a department, and once at the top. At most 10 levels.',
    delete: 'Only without people and without departments below it.',
  },
  tools: {
    list: {
      name: 'list_departments',
      text: 'List departments and their parents.',
      yields: { department_id: 'id', parent_id: 'id' },
    },
  },
  async complete(after, before, { tx }) {
    const { organization_id, id, parent_id } = after
    if (parent_id !== null && parent_id !== before?.parent_id) {
      await requirePlace(tx, tree, { organization_id, id, parent_id })
    }
    return after
  },
})

refuseWhileNamed(departmentRemoving, {
  ...{ place: 2, ...standing_departments, column: 'parent_id' },
  detail: 'Other departments are below this one.',
})
