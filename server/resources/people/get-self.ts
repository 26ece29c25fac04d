import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findPersonOfUser } from './person.store.ts'
import { Person, personOf } from './person.ts'

export const getSelf = defineOperation({
  id: 'people.get_self',
  subject: 'people',
  summary: 'Get the person linked to the calling user',
  description: 'Not found for a credential without a user and for a user that no person is linked to.',
  method: 'GET',
  path: '/people/me',
  scopes: ['people:read'],
  input: Closed({}),
  output: Person,
  problems: [notFound],

  async handle(_, { caller, tx }) {
    const { user_id, organization_id } = caller
    const row = user_id === undefined ? undefined : await findPersonOfUser(tx, organization_id, user_id)
    if (!row) throw notFound()
    return personOf(row)
  },
})
