import { defineOperation } from '#core/operation.ts'
import type { RowFrom } from '#core/resource.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { auditBatch, Seal } from './audit-batch.ts'
import { auditEntry } from './audit-entry.ts'
import { sealOf } from './seal.store.ts'

export const listEntries = defineOperation({
  id: 'audit.list',
  summary: 'List the audit log',
  description:
    'One entry for each change, the newest first. `updated_after` asks for entries after that time. Within a minute each is in a sealed batch.',
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

export const listBatches = defineOperation({
  id: 'audit.list_batches',
  summary: 'List the sealed batches of the audit log',
  description:
    'The oldest first. The hash of a batch is made of the hashes of its entries and of the hash of the batch before, so a batch vouches for all before it. `updated_after` asks for batches sealed after that time.',
  method: 'GET',
  path: '/audit-entries/batches',
  scopes: ['organizations:read'],
  roles: ['owner', 'admin'],
  input: Closed({ ...PageInput, ...auditBatch.filters }),
  output: PageOf(auditBatch.answer),

  handle: (filter, { caller, page }) =>
    page(
      { ...auditBatch.list(caller.organization_id, filter), updated_at: 'audit_batches.sealed_at' },
      (row: RowFrom<typeof auditBatch>) => auditBatch.show(row),
    ),
})

export const getSeal = defineOperation({
  id: 'audit.get_seal',
  summary: 'Get the seal of the audit log',
  description:
    'The number and the hash of the newest batch. Kept elsewhere, it shows later that no entry up to it was changed, removed, added or moved: `stint audit verify --against`.',
  method: 'GET',
  path: '/audit-entries/seal',
  scopes: ['organizations:read'],
  roles: ['owner', 'admin'],
  input: Closed({}),
  output: Seal,

  handle: (_, { caller, tx }) => sealOf(tx, caller),
})
