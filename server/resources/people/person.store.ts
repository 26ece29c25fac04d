import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

export const direct_reports = sql`(
  select count(*)::int from people r
  where r.organization_id = people.organization_id and r.manager_id = people.id and r.deleted_at is null)`

export function isInTeam(team_id: string, organization_id: string): Sql {
  return sql`people.id in (
    select x.person_id from team_members x where x.organization_id = ${organization_id} and x.team_id = ${team_id})`
}

export function hasEmail(email: string): Sql {
  return sql`people.email_lower = ${email.toLowerCase()}`
}

/** True when somebody undeleted belongs to this department, works at this location or reports to this person. */
export async function isNamedByPerson(
  tx: Transaction,
  column: 'department_id' | 'working_location_id' | 'manager_id',
  { organization_id, id }: { organization_id: string; id: string },
): Promise<boolean> {
  const row = await tx.row(sql`
    select id from people
    where organization_id = ${organization_id} and ${raw(column)} = ${id} and deleted_at is null limit 1`)
  return row !== undefined
}
