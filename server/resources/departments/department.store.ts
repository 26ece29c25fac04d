import { type Sql, sql, type Transaction } from '#db/database.ts'

export const peopleOfDepartment: Sql = sql`(
  select count(*)::int from people p
  where p.organization_id = departments.organization_id and p.department_id = departments.id and p.deleted_at is null)`

export async function hasChildren(tx: Transaction, row: { organization_id: string; id: string }): Promise<boolean> {
  const child = await tx.row(sql`
    select id from departments
    where organization_id = ${row.organization_id} and parent_id = ${row.id} and deleted_at is null limit 1`)
  return child !== undefined
}
