import type { Dependents } from '#core/dependents.ts'
import { type Sql, sql } from '#db/database.ts'

export const peopleOfDepartment: Sql = sql`(
  select count(*)::int from people p
  where p.organization_id = departments.organization_id and p.department_id = departments.id and p.deleted_at is null)`

/** Departments that have not been deleted: the one above them stays. */
export const standing_departments: Dependents = { table: 'departments', standing: sql`deleted_at is null` }
