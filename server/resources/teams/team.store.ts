import { type Sql, sql, type Transaction } from '#db/database.ts'

export const membersOfTeam: Sql = sql`(
  select count(*)::int from team_members m
  where m.organization_id = teams.organization_id and m.team_id = teams.id)`

export function dropMembers(tx: Transaction, team: { organization_id: string; id: string }): Promise<number> {
  return tx.run(sql`
    delete from team_members where organization_id = ${team.organization_id} and team_id = ${team.id}`)
}
