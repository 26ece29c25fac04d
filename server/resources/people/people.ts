import type { Context } from '#core/operation.ts'
import { hasDependents, hierarchyCycle, referenceNotFound, sensitiveDataRequired } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { requirePlace } from '#core/tree.ts'
import { endAccess, endingEvents } from '#identity/end-credentials.ts'
import { checkCustomFields } from '#resources/custom-fields/index.ts'
import { lastOwner, refusalOfJoining, refuseClosing } from '#resources/members/index.ts'
import { named, type PersonRow, person, personEvents, personRemoving, userDeprovisioned } from './person.ts'
import { withoutProvisioned } from './provisioned.ts'

export const managers = { table: 'people', parent: 'manager_id' } as const

/** A new or changed person as the rules of people leave it; nobody's manager may report to it. */
async function complete(
  after: PersonRow,
  before: PersonRow | null,
  context: Context,
  input: object,
): Promise<PersonRow> {
  const { tx } = context
  const { organization_id, id, manager_id: parent_id } = after
  if (before && parent_id !== null && parent_id !== before.manager_id) {
    await requirePlace(tx, managers, { organization_id, id, parent_id })
  }
  const joined = after.teams.filter((team) => !before?.teams.some((one) => one.id === team.id))
  const joining = joined.map((team) => team.id)
  const refusal = await refusalOfJoining(context, joining)
  if (refusal) throw refusal
  // The cast holds because the input has passed the schema of a person.
  const { custom_fields: values } = input as Partial<Pick<PersonRow, 'custom_fields'>>
  const is_asked = values !== undefined || before === null
  const kept = before?.custom_fields
  const custom = is_asked && (await checkCustomFields(tx, organization_id, 'person', values, '/custom_fields', kept))
  const row = named({ ...after, ...custom })
  return before ? withoutProvisioned(before, row) : row
}

/** The rules and the consequences of the removal of a person. */
export const personRemoval = {
  events: personEvents,
  removing: personRemoving,
  // The access goes with the person, and with it what the person is as a member.
  release: (row: PersonRow, context: Context) =>
    row.access === 'enabled' ? refuseClosing(context, row) : Promise.resolve(),
  removed: ({ access }: PersonRow): Partial<PersonRow> => ({
    teams: [],
    access: access === 'enabled' ? 'disabled' : access,
  }),
  async follow(row: PersonRow, before: PersonRow, { tx, emit, caller: { actor: by } }: Context) {
    if (row.access !== before.access) emit(userDeprovisioned, person.entryOf(row))
    await endAccess({ tx, emit }, row, { by, reason: 'person_deleted' })
  },
}
export const removal_emits = [userDeprovisioned, ...endingEvents] as const

export const standardPeopleOperations = defineStandardOperations(person, {
  ...personRemoval,
  id: 'people',
  one: 'a person',
  read: 'people:read',
  write: 'people:write',
  roles: ['owner', 'admin'],
  problems: {
    list: [referenceNotFound],
    create: [referenceNotFound],
    update: [referenceNotFound, hierarchyCycle, sensitiveDataRequired],
    delete: [hasDependents, lastOwner],
  },
  also_emits: { delete: removal_emits },
  description: {
    update: 'An object is merged into what is there, field by field; without its category it has to be given whole.',
    delete:
      'Only without a pending or active contract and without direct reports. The teams lose a member; sessions, tokens and grants of the person end at once.',
  },
  tools: {
    list: {
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
    get: { name: 'get_person', text: 'Get one person.' },
  },
  complete,
})
