import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findPerson, lockWorker } from './person.store.ts'
import { Person, PersonPath, personOf } from './person.ts'

export const getPerson = defineOperation({
  id: 'people.get',
  summary: 'Get a person',
  method: 'GET',
  path: '/people/:person_id',
  scopes: ['people:read'],
  input: Closed(PersonPath),
  output: Person,
  tool: { name: 'get_person', text: 'Get one person.' },

  lock: ({ person_id: id }, { caller, tx }) => lockWorker(tx, caller.organization_id, { id }),

  async handle({ person_id }, { caller, tx }) {
    const row = await findPerson(tx, caller.organization_id, person_id)
    if (!row) throw notFound()
    return personOf(row)
  },
})
