import { atLeast, atMost, equals } from '#core/filters.ts'
import { defineOperation } from '#core/operation.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import { ActorSchema, Closed, Id, PageInput, PageOf, Text, Timestamp, Type } from '#core/schema/schema.ts'

/** A line of the audit log: somebody did something to a row; names of fields, never values. */
const auditEntry = defineResource({
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
  },
  internal: { actor_id: { type: Id, nullable: true, generated: true } },
  filters: {
    actor_id: equals('actor_id'),
    subject_kind: equals('subject_kind'),
    subject_id: equals('subject_id'),
    action: equals('action'),
    from: atLeast('occurred_at'),
    to: atMost('occurred_at'),
  },
})

const listEntries = defineOperation({
  id: 'audit.list',
  summary: 'List the audit log',
  description: 'One entry for each change, the newest first. `updated_after` asks for entries after that time.',
  method: 'GET',
  path: '/audit-entries',
  scopes: ['organizations:read'],
  roles: ['owner', 'admin'],
  input: Closed({ ...PageInput, ...auditEntry.filters }),
  output: PageOf(auditEntry.answer),

  handle: (filter, { caller, page }) =>
    page(
      {
        ...auditEntry.list(caller.organization_id, filter),
        order: ['audit_entries.occurred_at', 'audit_entries.id'],
        updated_at: 'audit_entries.occurred_at',
      },
      (row: RowFrom<typeof auditEntry>) => auditEntry.show(row),
    ),
})

export const auditOperations = [listEntries]
