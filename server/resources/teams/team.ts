import { equals, withDeleted, words } from '#core/filters.ts'
import { externalIdInUse, nameInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { ExternalId, Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { membersOfTeam } from './team.store.ts'

/** A group of people that contracts can be sorted by. */
export const team = defineResource({
  name: 'team',
  title: 'Team',
  table: 'teams',
  module: 'organization',
  soft_delete: true,
  fields: {
    id: { type: Id, ...server, example: '019b8d62-0a00-7e21-9b04-5c3d7e8f1a26' },
    name: { type: Text(1, 100), required: true, example: 'Platform' },
    external_id: { type: ExternalId, nullable: true },
    member_count: { type: Type.Integer({ minimum: 0 }), read_from: membersOfTeam, initial: 0 },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  internal: { scim_external_id: { type: Type.String(), nullable: true } },
  unique: { name: nameInUse, external_id: externalIdInUse },
  filters: {
    search: words('Beginnings of words of the name.'),
    external_id: equals('external_id'),
    include_deleted: withDeleted,
  },
  words: { team: ['name'] },
  told: ['id', 'name', 'created_at', 'external_id'],
})
export const teamEvents = team.changeEvents('A team')

/** A team is about to be removed. */
export const teamRemoving = defineHappening<RowFrom<typeof team>>('team removing')
