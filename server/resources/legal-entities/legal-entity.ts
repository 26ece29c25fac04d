import { defineResource } from '#core/resource.ts'
import { Country, ExternalId, Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'

/** A company or person in whose name an organization engages people; each organization has exactly one default. */
export const legalEntity = defineResource({
  name: 'legal_entity',
  table: 'legal_entities',
  soft_delete: true,
  fields: {
    id: { type: Id, set_by: 'server' },
    name: { type: Text(1, 200), required: true },
    // Null only where it came into being with an organization that has none.
    country: { type: Country, required: true, nullable: true, never_cleared: true },
    kind: { type: Type.Enum(['company', 'individual']), initial: 'company' },
    is_default: { type: Type.Boolean(), initial: false },
    external_id: { type: ExternalId, nullable: true },
    created_at: { type: Timestamp, set_by: 'server' },
    updated_at: { type: Timestamp, set_by: 'server' },
    deleted_at: { type: Timestamp, nullable: true, set_by: 'server' },
  },
})

/** The default legal entity of a new organization; the database refuses an organization without one. */
export function insertDefaultLegalEntity(
  tx: Transaction,
  entity: { organization_id: string; id: string; name: string; country: string | null },
): Promise<boolean> {
  const row = legalEntity.newRow(tx, { ...entity, is_default: true })
  return legalEntity.insert(tx, row)
}
