import { refuseUnknownFilters } from '#core/lists/references.ts'
import { defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import { Closed, Country, Email, ExternalId, Id, PageInput, PageOf, SetOf, Text, Type } from '#core/schema/schema.ts'
import { legalEntityExists } from '#resources/legal-entities/index.ts'
import { teamExists } from '#resources/teams/index.ts'
import { departmentExists, personExists, personList, workingLocationExists } from './person.store.ts'
import { Person, person_statuses, personOf, worker_types } from './person.ts'

export const listPeople = defineOperation({
  id: 'people.list',
  summary: 'List people',
  method: 'GET',
  path: '/people',
  scopes: ['people:read'],
  input: Closed({
    ...PageInput,
    search: Type.Optional(
      Text(2, 100, {
        description: 'Beginnings of words of names, e-mail or external id.',
      }),
    ),
    statuses: Type.Optional(SetOf(Type.Enum([...person_statuses]), { description: 'Any of these statuses.' })),
    worker_types: Type.Optional(SetOf(Type.Enum([...worker_types]), { description: 'Any of these kinds of worker.' })),
    department_id: Type.Optional(Id),
    team_id: Type.Optional(Id),
    manager_id: Type.Optional(Id),
    legal_entity_id: Type.Optional(Id),
    working_location_id: Type.Optional(Id),
    countries: Type.Optional(SetOf(Country, { description: 'In any of these countries.' })),
    email: Type.Optional(Email),
    external_id: Type.Optional(ExternalId),
    include_deleted: Type.Optional(Type.Boolean({ description: 'Also those that were deleted.' })),
  }),
  output: PageOf(Person),
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

  async handle(filter, { caller, tx, page }) {
    const { organization_id } = caller
    const found = await page(personList(organization_id, filter), personOf)
    await refuseUnknownFilters(found, [
      ['department_id', filter.department_id, (id) => departmentExists(tx, organization_id, id)],
      ['team_id', filter.team_id, (id) => teamExists(tx, organization_id, id)],
      ['manager_id', filter.manager_id, (id) => personExists(tx, organization_id, id)],
      ['legal_entity_id', filter.legal_entity_id, (id) => legalEntityExists(tx, organization_id, id)],
      ['working_location_id', filter.working_location_id, (id) => workingLocationExists(tx, organization_id, id)],
    ])
    return found
  },
})
