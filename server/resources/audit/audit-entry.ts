import { atLeast, atMost, equals } from '#core/filters.ts'
import { defineResource } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import { ActorSchema, Id, type Static, Text, Timestamp, Type } from '#core/schema/schema.ts'

/** A number from 1 on, as far as the `int` of PostgreSQL reaches. */
export const Numbered = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description })

/** A line of the audit log: somebody did something to a row; names of fields, never values. */
export const auditEntry = defineResource({
  name: 'audit_entry',
  title: 'AuditEntry',
  table: 'audit_entries',
  fields: {
    id: { type: Id, ...server },
    occurred_at: { type: Timestamp, ...server },
    actor: { type: ActorSchema, ...server },
    credential_id: { type: Id, ...noted },
    action: {
      type: Text(1, 100, { description: 'Id of the operation, or kind of the timer.' }),
      ...server,
      example: 'contracts.update',
    },
    subject: {
      group: {
        kind: { type: Text(1, 50), ...server, column: 'subject_kind', example: 'contracts' },
        // Most are UUIDs, but an OAuth client has a name of its own, and a signing key its label.
        id: {
          type: Text(1, 100, { description: 'Id or name of it.' }),
          ...noted,
          column: 'subject_id',
          example: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
        },
      },
      ...server,
    },
    changed_fields: { type: Type.Array(Type.String()), ...server, example: ['title'] },
    request_id: { type: Type.String(), ...noted },
    ip: { type: Type.String(), ...noted, column: 'address' },
    surface: {
      type: Type.String({ description: 'The way in that the call took; null where nobody called.' }),
      ...noted,
      example: 'rest',
    },
    batch: {
      type: Numbered('The sealed batch that it is in; null for less than a minute.'),
      ...noted,
      example: 12,
    },
    position: {
      type: Numbered('Its place in the batch.'),
      ...noted,
      example: 3,
    },
  },
  internal: { actor_id: { type: Id, nullable: true, generated: true } },
  filters: {
    actor_id: equals('actor_id'),
    subject_kind: equals('subject_kind'),
    subject_id: equals('subject_id'),
    action: equals('action'),
    from: atLeast('occurred_at'),
    to: atMost('occurred_at'),
    batch_from: atLeast('batch'),
    batch_to: atMost('batch'),
  },
})

export type AuditEntry = Static<typeof auditEntry.answer>
