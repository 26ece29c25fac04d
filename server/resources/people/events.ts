import { defineEvent } from '#core/event.ts'
import { Type } from '#core/schema/schema.ts'
import { person } from './person.ts'
import type { Worker } from './worker.store.ts'

export const personCreated = defineEvent({
  type: 'person.created',
  module: 'people',
  summary: 'A person was stored.',
  entry: Type.Object(person.entry),
  example: person.entryExample,
})
export const personUpdated = defineEvent({
  type: 'person.updated',
  module: 'people',
  summary: 'Fields of a person changed, the status that follows from the contracts included.',
  entry: Type.Object({ ...person.entry, changed_fields: Type.Array(Type.String()) }),
  example: { ...person.entryExample, status: 'active', changed_fields: ['status'] },
})

/** The entry of `person.updated` for a status that followed from the contracts. */
export function statusEntry(worker: Worker) {
  return { ...person.entryOf(worker), changed_fields: ['status'] }
}
