import { defineOperation } from '#core/operation.ts'
import { notFound, referenceNotFound } from '#core/problems.ts'
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

export const getPerson = defineOperation({
  id: 'people.get',
  summary: 'Get a person',
  method: 'GET',
  path: '/people/:person_id',
  scopes: ['people:read'],
  input: Closed(person.path),
  output: person.answer,
  tool: { name: 'get_person', text: 'Get one person.' },

  lock: ({ person_id: id }, { caller, tx }) => person.lock(tx, { organization_id: caller.organization_id, id }),

  async handle({ person_id: id }, { caller, tx }) {
    return person.show(await person.get(tx, { organization_id: caller.organization_id, id }))
  },
})

export const getSelf = defineOperation({
  id: 'people.get_self',
  subject: 'people',
  summary: 'Get the person linked to the calling user',
  description: 'Not found for a credential without a user and for a user that no person is linked to.',
  method: 'GET',
  path: '/people/me',
  scopes: ['people:read'],
  input: Closed({}),
  output: person.answer,
  problems: [notFound],

  async handle(_, { caller: { organization_id, user_id }, tx }) {
    if (user_id === undefined) throw notFound()
    return person.show(await person.get(tx, { organization_id, user_id }))
  },
})
