import type { Context } from '#core/operation.ts'
import { hasDependents, invalidState, sensitiveDataRequired } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { findDefault } from './legal-entity.store.ts'
import { type LegalEntityRow, legalEntity, legalEntityEvents, legalEntityRemoving } from './legal-entity.ts'

export { findDefault as findDefaultLegalEntity } from './legal-entity.store.ts'
export { insertDefaultLegalEntity, legalEntity, legalEntityRemoving } from './legal-entity.ts'

export const legalEntityOperations = defineStandardOperations(legalEntity, {
  id: 'legal_entities',
  one: 'a legal entity',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: legalEntityEvents,
  also_emits: { create: [legalEntityEvents.updated] },
  removing: legalEntityRemoving,
  problems: {
    create: [sensitiveDataRequired],
    update: [sensitiveDataRequired, invalidState],
    delete: [hasDependents, invalidState],
  },
  description: {
    create: 'A `bank_account` also needs the category bank_details.',
    update:
      'A `bank_account` also needs the category bank_details. The mark of the default is moved, never taken away.',
    delete: 'Neither the default one nor one that a pending or active contract names.',
  },
  async complete(after, before, context, input) {
    if ('bank_account' in input && !context.caller.sensitive_data.has('bank_details')) {
      throw sensitiveDataRequired('Writing bank_account needs the category bank_details.')
    }
    if (before?.is_default && !after.is_default) {
      throw invalidState('An organization always has one default: make another legal entity the default.')
    }
    if (after.is_default && !before?.is_default) await unmarkDefault(after, context)
    return after
  },
  release({ is_default }) {
    if (is_default) throw invalidState('This is the default legal entity: make another one the default first.')
    return Promise.resolve()
  },
})

/** Takes the mark of the default from the legal entity that has it. */
async function unmarkDefault({ organization_id }: LegalEntityRow, { tx, emit }: Context): Promise<void> {
  const id = await findDefault(tx, organization_id)
  if (id === undefined) return
  const before = await legalEntity.lock(tx, { organization_id, id })
  const row = await legalEntity.save(tx, before, { ...before, is_default: false })
  emit(legalEntityEvents.updated, { ...legalEntity.entryOf(row), changed_fields: ['is_default'] })
}
