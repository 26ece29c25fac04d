import { equals, withDeleted, words } from '#core/filters.ts'
import { externalIdInUse, nameInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { ExternalId, Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { peopleOfDepartment } from './department.store.ts'

const departments = { table: 'departments', soft_delete: true } as const

/** A part of the organization that people belong to; departments stand below one another. */
export const department = defineResource({
  name: 'department',
  title: 'Department',
  ...departments,
  module: 'organization',
  fields: {
    id: { type: Id, ...server, example: '019b8d61-8c00-7f42-8d13-7a94c0e1b35d' },
    name: { type: Text(1, 100), required: true, example: 'Backend' },
    parent: { refers: departments, nullable: true },
    external_id: { type: ExternalId, nullable: true },
    people_count: { type: Type.Integer({ minimum: 0 }), read_from: peopleOfDepartment, initial: 0 },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  unique: {
    name: { problem: nameInUse, detail: 'Another department at this place has this name.' },
    external_id: externalIdInUse,
  },
  filters: {
    search: words('Beginnings of words of the name.'),
    parent_id: equals('parent_id'),
    external_id: equals('external_id'),
    include_deleted: withDeleted,
  },
  words: { department: ['name'] },
  told: ['id', 'name', 'created_at', 'external_id', 'parent_id'],
})
export const departmentEvents = department.changeEvents('A department')

/** A department is about to be removed. */
export const departmentRemoving = defineHappening<RowFrom<typeof department>>('department removing')
