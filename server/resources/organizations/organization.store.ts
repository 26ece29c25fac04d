import { insertClock } from '#core/sandbox-clock.ts'
import { type Currency, newId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import { insertDefaultLegalEntity } from '#resources/legal-entities/index.ts'
import { type OrganizationRow, organization } from './organization.ts'

export interface NewOrganization extends Pick<OrganizationRow, 'id' | 'name' | 'country' | 'timezone' | 'is_sandbox'> {
  default_currency: string
}

/** An organization with its default legal entity, which bears its name; the database demands one at the commit. */
export async function insertOrganization(tx: Transaction, made: NewOrganization): Promise<void> {
  const { id, name, country } = made
  // The cast holds because whoever makes an organization has checked its input.
  const default_currency = made.default_currency as Currency
  await organization.insert(tx, organization.newRow(tx, { ...made, default_currency, organization_id: id }))
  await insertDefaultLegalEntity(tx, { id: newId(Date.parse(tx.real_now)), organization_id: id, name, country })
  if (made.is_sandbox) insertClock(tx, id)
}

/** By name or id, over all organizations: for the operator, as the lookup role. */
export function findOrganizationsByName(tx: Transaction, nameOrId: string): Promise<OrganizationRow[]> {
  return tx.rows<OrganizationRow>(sql`
    select ${organization.columns} from organizations where name = ${nameOrId} or id::text = ${nameOrId}
    order by created_at limit 2`)
}

/** Every organization; as the lookup role. */
export function listOrganizations(tx: Transaction): Promise<Pick<OrganizationRow, 'id' | 'name'>[]> {
  return tx.rows(sql`select id, name from organizations order by id`)
}

export async function anyOrganization(tx: Transaction): Promise<boolean> {
  return (await tx.row(sql`select id from organizations limit 1`)) !== undefined
}
