import { anyOf, equals, withDeleted } from '#core/filters.ts'
import { externalIdInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { Address } from '#core/schema/address.ts'
import { BankAccount } from '#core/schema/bank-account.ts'
import { server } from '#core/schema/fields.ts'
import { Country, ExternalId, Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'

/** A company or person in whose name an organization engages people; each organization has exactly one default. */
export const legalEntity = defineResource({
  name: 'legal_entity',
  title: 'LegalEntity',
  table: 'legal_entities',
  module: 'organization',
  soft_delete: true,
  fields: {
    id: { type: Id, ...server, example: '019b8d60-5d80-7a29-b4c6-e81f2a5d7093' },
    name: { type: Text(1, 200), required: true, example: 'Harbour Pine GmbH' },
    // Null only where it came into being with an organization that has none.
    country: { type: Country, required: true, nullable: true, never_cleared: true, example: 'DE' },
    kind: { type: Type.Enum(['company', 'individual']), initial: 'company', example: 'company' },
    registration_number: { type: Text(0, 50), nullable: true },
    vat_id: { type: Text(0, 30), nullable: true },
    address: { type: Address, nullable: true },
    bank_account: { type: BankAccount, nullable: true, category: 'bank_details' },
    is_default: {
      type: Type.Boolean({ description: 'Taken where a contract names none; setting it takes it from the other.' }),
      initial: false,
      example: true,
    },
    external_id: { type: ExternalId, nullable: true },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  unique: { external_id: externalIdInUse },
  filters: {
    countries: anyOf('country', 'In any of these countries.'),
    external_id: equals('external_id'),
    include_deleted: withDeleted,
  },
  told: ['id', 'name', 'created_at', 'external_id', 'country', 'is_default'],
})
export type LegalEntityRow = RowFrom<typeof legalEntity>
export const legalEntityEvents = legalEntity.changeEvents('A legal entity')

/** A legal entity is about to be removed. */
export const legalEntityRemoving = defineHappening<LegalEntityRow>('legal entity removing')

/** The default legal entity of a new organization; the database refuses an organization without one. */
export function insertDefaultLegalEntity(
  tx: Transaction,
  entity: { organization_id: string; id: string; name: string; country: string | null },
): Promise<boolean> {
  const row = legalEntity.newRow(tx, { ...entity, is_default: true })
  return legalEntity.insert(tx, row)
}
