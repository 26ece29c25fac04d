import { Type } from '#core/schema/schema.ts'
import { person } from './person.ts'
import type { Worker } from './worker.store.ts'

export const personCreated = person.event('person.created', 'A person was stored.', {}, {})
export const personUpdated = person.event(
  'person.updated',
  'Fields of a person changed, the status that follows from the contracts included.',
  { changed_fields: Type.Array(Type.String()) },
  { status: 'active', changed_fields: ['status'] },
)

/** The entry of `person.updated` for a status that followed from the contracts. */
export function statusEntry(worker: Worker) {
  return { ...person.entryOf(worker), changed_fields: ['status'] }
}
