import type { ListQuery } from '#core/lists/list.ts'
import { newId } from '#core/values/id.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { insertDefaultLegalEntity } from '#resources/legal-entities/index.ts'
import type { OrganizationRow } from './organization.ts'

const columns = sql`id, name, legal_name, country, default_currency, timezone, is_sandbox, settings, created_at, updated_at`

export function organizationList(organization_id: string): ListQuery {
  return { columns, from: sql`organizations`, where: [sql`id = ${organization_id}`] }
}

export function findOrganization(tx: Transaction, organization_id: string): Promise<OrganizationRow | undefined> {
  return tx.row<OrganizationRow>(sql`select ${columns} from organizations where id = ${organization_id}`)
}

export type NewOrganization = Pick<
  OrganizationRow,
  'id' | 'name' | 'country' | 'default_currency' | 'timezone' | 'is_sandbox'
>

/** An organization with its default legal entity, which bears its name; the database demands one at the commit. */
export async function insertOrganization(tx: Transaction, organization: NewOrganization): Promise<void> {
  const { id, name, country, default_currency, timezone, is_sandbox } = organization
  await tx.run(sql`
    insert into organizations (id, name, country, default_currency, timezone, is_sandbox, created_at, updated_at)
    values (${id}, ${name}, ${country}, ${default_currency}, ${timezone}, ${is_sandbox}, app_now(), app_now())`)
  await insertDefaultLegalEntity(tx, { id: newId(Date.parse(tx.now)), organization_id: id, name, country })
}

/** By name or id, over all organizations: for the operator, as the lookup role. */
export function findOrganizationsByName(tx: Transaction, nameOrId: string): Promise<OrganizationRow[]> {
  return tx.rows<OrganizationRow>(
    sql`select ${columns} from organizations where name = ${nameOrId} or id::text = ${nameOrId} order by created_at limit 2`,
  )
}

export async function anyOrganization(tx: Transaction): Promise<boolean> {
  return (await tx.row(sql`select id from organizations limit 1`)) !== undefined
}
