import { defineOperation, type EventType } from '#core/operation.ts'
import { hasDependents } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { removeRow } from '#core/standard-operations.ts'
import type { Transaction } from '#db/database.ts'
import { lastOwner } from '#resources/members/index.ts'
import { personRemoval, removal_emits } from './people.ts'
import { erasedEmail, forgetLogin } from './person.store.ts'
import { erased_names, named, type PersonRow, person, personErasing, personEvents, toldColumns } from './person.ts'

/** The columns that stay of somebody who was erased; every other one goes, those that are added later too. */
const kept = ['worker_type', 'country', 'status', 'access', 'created_at', 'updated_at', 'deleted_at'] as const

export const erasePerson = defineOperation({
  id: 'people.erase',
  summary: 'Erase the personal data of a person',
  description:
    'For good, and a removal where the person is not removed yet. Only with nothing left to pay. What the law keeps stays: contracts and amounts under the name "Erased person", invoices as they were issued, the audit log.',
  method: 'POST',
  path: '/people/:person_id/erase',
  scopes: ['people:write'],
  roles: ['owner', 'admin'],
  input: Closed(person.path),
  output: Type.Null(),
  status: 204,
  problems: [hasDependents, lastOwner],
  // Read when it is asked for: those who react are known once every noun is loaded.
  get emits(): EventType[] {
    const { removing, events } = personRemoval
    return [events.updated, events.deleted, ...removing.emits, ...personErasing.emits, ...removal_emits]
  },

  async handle({ person_id: id }, context) {
    const { caller, tx, emit, audit, unchanged } = context
    const { organization_id, actor } = caller
    const found = await person.lockRemovedToo(tx, { organization_id, id })
    if (found.erased_at !== null) {
      unchanged()
      return null
    }
    const before = found.deleted_at === null ? await removeRow(person, personRemoval, found, context) : found
    await personErasing.happen(before, { ...context, actor })
    forgetLogin(tx, before)
    const after = erased(before, tx)
    const changed_fields = toldColumns(person.changes(before, after))
    const row = await person.save(tx, before, after)
    emit(personEvents.updated, { ...person.entryOf(row), changed_fields })
    audit({ changed_fields })
    return null
  },
})

function erased(before: PersonRow, tx: Transaction): PersonRow {
  const { organization_id, id } = before
  // The cast holds because these are columns of the row.
  const stays = Object.fromEntries(kept.map((column) => [column, before[column]])) as Pick<
    PersonRow,
    (typeof kept)[number]
  >
  const row = person.newRow(tx, { organization_id, id, ...erased_names, email: erasedEmail(id), ...stays })
  return named({ ...row, erased_at: tx.now })
}
