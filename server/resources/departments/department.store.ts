import type { Dependents } from '#core/dependents.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'

export const peopleOfDepartment: Sql = sql`(
  select count(*)::int from people p
  where p.organization_id = departments.organization_id and p.department_id = departments.id and p.deleted_at is null)`

/** Departments that have not been deleted: the one above them stays. */
export const standing_departments: Dependents = { table: 'departments', standing: sql`deleted_at is null` }

/** The departments of this name, those at the top first, held while one of them is referred to. */
export function departmentsNamed(tx: Transaction, organization_id: string, name: string): Promise<{ id: string }[]> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  return tx.rows(sql`
    select id from departments where organization_id = ${organization_id} and name = ${name} and deleted_at is null
    order by parent_id nulls first limit 2 for key share`)
}
