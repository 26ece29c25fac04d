import type { ListQuery } from '#core/page.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
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

export async function insertOrganization(tx: Transaction, organization: NewOrganization): Promise<void> {
  const { id, name, country, default_currency, timezone, is_sandbox } = organization
  await tx.run(sql`
    insert into organizations (id, name, country, default_currency, timezone, is_sandbox, created_at, updated_at)
    values (${id}, ${name}, ${country}, ${default_currency}, ${timezone}, ${is_sandbox}, app_now(), app_now())`)
}
