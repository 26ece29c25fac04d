import { atLeast, atMost } from '#core/filters.ts'
import { defineResource } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import { Closed, Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { raw } from '#db/database.ts'
import { Numbered } from './audit-entry.ts'

const some_hash = '1f0ee0a1c1b2c2f4e3b8f2a4f6f4a9c35e4a3b0c3f2f8d5b6d0f5a9f0c3e7b21'
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' })

/** Entries of one organization that were sealed together, chained to the batch before. */
export const auditBatch = defineResource({
  name: 'audit_batch',
  title: 'AuditBatch',
  table: 'audit_batches',
  fields: {
    organization_id: { type: Id, computed: true },
    batch: { type: Numbered('Counted from 1 without a gap.'), ...server, example: 12 },
    format: {
      type: Numbered('The way in which hashes are made.'),
      ...server,
      example: 1,
    },
    previous_hash: { type: Hash, ...noted, read_from: raw(`encode(audit_batches.previous_hash, 'hex')`) },
    sealed_at: { type: Timestamp, ...server },
    entries_total: {
      type: Type.Integer({ minimum: 1, description: 'Entries sealed so far, this batch included.' }),
      ...server,
      example: 345,
      read_from: raw('audit_batches.entries_total::float8'),
    },
    entries: {
      type: Type.Array(Closed({ id: Id, hash: Hash })),
      ...server,
      example: [{ id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62', hash: some_hash }],
      read_from: raw(`(select json_agg(json_build_object('id', e.id, 'hash', encode(e.hash, 'hex')) order by e.place)
        from unnest(audit_batches.entry_ids, audit_batches.entry_hashes) with ordinality e (id, hash, place))`),
    },
    hash: { type: Hash, ...server, example: some_hash, read_from: raw(`encode(audit_batches.hash, 'hex')`) },
    entries_removed_at: { type: Timestamp, ...noted },
  },
  compute: ({ organization_id }) => ({ organization_id }),
  filters: { batch_from: atLeast('batch'), batch_to: atMost('batch') },
  listed: { order: ['audit_batches.batch'], direction: 'asc' },
})

export type AuditBatch = Static<typeof auditBatch.answer>

/** The newest batch by its number and hash, which vouch for every entry before: what one keeps elsewhere. */
export const Seal = Type.Object(
  {
    organization_id: Id,
    batch: Type.Integer({
      minimum: 0,
      description: 'The newest batch; 0 where nothing is sealed yet.',
      example: 12,
    }),
    hash: Nullable(Type.String({ description: 'Its hash.', example: some_hash })),
    entries_total: Type.Integer({ minimum: 0, description: 'Entries sealed so far.', example: 345 }),
    sealed_at: Nullable(Timestamp),
  },
  { title: 'AuditSeal' },
)

export type AuditSeal = Static<typeof Seal>
