import { equals, withDeleted } from '#core/filters.ts'
import { nameInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { sensitiveCategories } from '#identity/scopes.ts'

/** The definition of a field that an organization adds to its people or contracts. */
export const customField = defineResource({
  name: 'custom_field',
  title: 'CustomField',
  table: 'custom_fields',
  module: 'organization',
  soft_delete: true,
  fields: {
    id: { type: Id, ...server, example: '019b8d64-0a80-7b16-95d1-c27e4f80a3b9' },
    key: {
      type: Type.String({
        pattern: '^[a-z][a-z0-9_]{0,39}$',
        description: 'Names the value in custom_fields: 1 to 40 small letters, digits and _, a letter first.',
      }),
      required: true,
      fixed: true,
      example: 'shirt_size',
    },
    name: { type: Text(1, 100), required: true, example: 'Shirt size' },
    entity: { type: Type.Enum(['person', 'contract']), required: true, fixed: true, example: 'person' },
    type: {
      type: Type.Enum(['text', 'number', 'date', 'boolean', 'select', 'multi_select']),
      required: true,
      fixed: true,
      example: 'select',
    },
    options: {
      type: Type.Array(Text(1, 100), {
        maxItems: 200,
        set: true,
        description: 'Of selects, and only of them.',
      }),
      initial: [],
      example: ['S', 'M', 'L'],
    },
    category: {
      type: Type.Enum([...sensitiveCategories]),
      nullable: true,
      fixed: true,
      about: 'Withholds the values from callers who were not granted this category.',
    },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  unique: { key: { problem: nameInUse, detail: 'Another custom field of this entity has this key.' } },
  filters: { entity: equals('entity'), include_deleted: withDeleted },
  told: ['id', 'name', 'created_at', 'key', 'entity', 'type', 'category'],
})
export type CustomFieldRow = RowFrom<typeof customField>
export const customFieldEvents = customField.changeEvents('The definition of a custom field')
