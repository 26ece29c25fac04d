import { defineOperation } from '#core/operation.ts'
import { notFound, sensitiveDataRequired } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { changeRow } from '#core/standard-operations.ts'
import { named, type PersonRow, person, personEvents, workerOf } from './person.ts'
import { withoutProvisioned } from './provisioned.ts'

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

export const getProfile = defineOperation({
  id: 'worker.get_profile',
  subject: 'people',
  summary: 'Get your own data',
  method: 'GET',
  path: '/worker/me',
  scopes: ['worker:read'],
  input: Closed({}),
  output: person.answer,

  lock: (_, { caller, tx }) => person.lock(tx, { organization_id: caller.organization_id, id: workerOf(caller) }),

  async handle(_, { caller, tx }) {
    return person.show(await person.get(tx, { organization_id: caller.organization_id, id: workerOf(caller) }))
  },
})

const { preferred_name, personal_email, phone, locale, timezone, home_address, emergency_contact } = person.change
const { date_of_birth, nationality, government_ids, vat_id } = person.change

const completeOwn = (after: PersonRow, before: PersonRow | null) =>
  before ? withoutProvisioned(before, named(after)) : named(after)

export const updateProfile = defineOperation({
  id: 'worker.update_profile',
  subject: 'people',
  summary: 'Change your own data',
  method: 'PATCH',
  path: '/worker/me',
  scopes: ['worker:write'],
  input: Closed({
    ...{ preferred_name, personal_email, phone, locale, timezone, home_address, emergency_contact },
    ...{ date_of_birth, nationality, government_ids, vat_id },
  }),
  output: person.answer,
  problems: [sensitiveDataRequired],
  emits: [personEvents.updated],

  async handle(input, context) {
    const own = { organization_id: context.caller.organization_id, id: workerOf(context.caller) }
    return person.show(await changeRow(person, { events: personEvents, complete: completeOwn }, own, input, context))
  },
})
