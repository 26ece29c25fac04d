import { defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { person } from './person.ts'

export const listPeople = defineOperation({
  id: 'people.list',
  summary: 'List people',
  method: 'GET',
  path: '/people',
  scopes: ['people:read'],
  input: Closed({ ...PageInput, ...person.filters }),
  output: PageOf(person.answer),
  problems: [referenceNotFound],
  tool: {
    name: 'list_people',
    text: 'Find people by name, e-mail, department, team or status.',
    yields: {
      person_id: 'id',
      worker_id: 'id',
      manager_id: 'manager.id',
      department_id: 'department.id',
      team_id: 'teams[].id',
      working_location_id: 'working_location.id',
    },
  },

  handle: (filter, context) => person.page(context, filter),
})
