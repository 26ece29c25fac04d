import { type Sql, sql } from '#db/database.ts'

export const teams_of_person = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by t.name), '[]')
  from team_members x join teams t on t.organization_id = x.organization_id and t.id = x.team_id
  where x.organization_id = people.organization_id and x.person_id = people.id)`

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
