import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { endAccess, endingEvents } from '#identity/end-credentials.ts'
import { lastOwner, refuseClosing } from '#resources/members/index.ts'
import { person, userDeprovisioned } from './person.ts'

/** The console block of domain rules 3.7: the person stays, and nothing acts for it any more. */
export const blockAccess = defineOperation({
  id: 'people.block_access',
  summary: 'Block the access of a person',
  description: 'Sessions, tokens and grants of the person end at once. Provisioning can give access again.',
  method: 'POST',
  path: '/people/:person_id/block-access',
  scopes: ['people:write'],
  roles: ['owner', 'admin'],
  input: Closed(person.path),
  output: person.answer,
  problems: [invalidState, lastOwner],
  emits: [userDeprovisioned, ...endingEvents],

  async handle({ person_id: id }, context) {
    const { caller, tx, emit, audit } = context
    const { organization_id, actor: by } = caller
    const before = await person.lock(tx, { organization_id, id })
    if (before.access !== 'enabled')
      throw invalidState(`The access is ${before.access}; only an enabled one is blocked.`)
    await refuseClosing(context, before)
    const row = await person.save(tx, before, { ...before, access: 'disabled' })
    emit(userDeprovisioned, person.entryOf(row))
    await endAccess({ tx, emit }, row, { by, reason: 'access_blocked' })
    audit({ changed_fields: ['access'] })
    return person.show(row)
  },
})
