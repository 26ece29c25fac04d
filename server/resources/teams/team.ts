import { defineResource } from '#core/resource.ts'
import { ExternalId, Id, Text, Timestamp } from '#core/schema/schema.ts'

/** A group of people that contracts can be sorted by. */
export const team = defineResource({
  name: 'team',
  table: 'teams',
  soft_delete: true,
  fields: {
    id: { type: Id, set_by: 'server' },
    name: { type: Text(1, 100), required: true },
    external_id: { type: ExternalId, nullable: true },
    created_at: { type: Timestamp, set_by: 'server' },
    updated_at: { type: Timestamp, set_by: 'server' },
    deleted_at: { type: Timestamp, nullable: true, set_by: 'server' },
  },
})
