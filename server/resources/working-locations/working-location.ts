import { anyOf, equals, withDeleted } from '#core/filters.ts'
import { externalIdInUse, nameInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { Address } from '#core/schema/address.ts'
import { server } from '#core/schema/fields.ts'
import { Country, ExternalId, Id, Text, Timestamp } from '#core/schema/schema.ts'

/** A place that people work at. */
export const workingLocation = defineResource({
  name: 'working_location',
  title: 'WorkingLocation',
  table: 'working_locations',
  module: 'organization',
  soft_delete: true,
  fields: {
    id: { type: Id, ...server, example: '019b8d63-1a80-7c55-a2e7-3f6b9d20c418' },
    name: { type: Text(1, 100), required: true, example: 'Berlin' },
    country: { type: Country, required: true, example: 'DE' },
    address: { type: Address, nullable: true },
    external_id: { type: ExternalId, nullable: true },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  unique: { name: nameInUse, external_id: externalIdInUse },
  filters: {
    countries: anyOf('country', 'In any of these countries.'),
    external_id: equals('external_id'),
    include_deleted: withDeleted,
  },
  told: ['id', 'name', 'created_at', 'external_id', 'country'],
})
export const workingLocationEvents = workingLocation.changeEvents('A working location')

/** A working location is about to be removed. */
export const workingLocationRemoving = defineHappening<RowFrom<typeof workingLocation>>('working location removing')
