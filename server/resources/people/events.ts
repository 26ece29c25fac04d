import { defineEvent } from '#core/event.ts'
import { Country, Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { accesses, person_statuses, type Worker, worker_types } from './person.ts'

const entry = {
  person_id: Id,
  external_id: Nullable(Type.String()),
  email: Nullable(Type.String()),
  full_name: Type.String(),
  worker_type: Type.Enum([...worker_types]),
  status: Type.Enum([...person_statuses]),
  access: Type.Enum([...accesses]),
  country: Nullable(Country),
  created_at: Timestamp,
}

const example = {
  person_id: '019b8d64-4f40-7d13-8e20-44b1c7f9a035',
  external_id: 'jonas',
  email: 'jonas@harbour.example',
  full_name: 'Jonas Weber',
  worker_type: 'contractor' as const,
  status: 'pending' as const,
  access: 'none' as const,
  country: 'DE',
  created_at: '2026-01-05T09:00:00.000Z',
}

export const personCreated = defineEvent({
  type: 'person.created',
  module: 'people',
  summary: 'A person was stored.',
  entry: Type.Object(entry),
  example,
})
export const personUpdated = defineEvent({
  type: 'person.updated',
  module: 'people',
  summary: 'Fields of a person changed, the status that follows from the contracts included.',
  entry: Type.Object({ ...entry, changed_fields: Type.Array(Type.String()) }),
  example: { ...example, status: 'active' as const, changed_fields: ['status'] },
})

export function personEntry({
  id,
  external_id,
  email,
  full_name,
  worker_type,
  status,
  access,
  country,
  created_at,
}: Worker) {
  return { person_id: id, external_id, email, full_name, worker_type, status, access, country, created_at }
}
