import { type Sql, sql, type Transaction } from '#db/database.ts'

export const membersOfTeam: Sql = sql`(
  select count(*)::int from team_members m
  where m.organization_id = teams.organization_id and m.team_id = teams.id)`

export function dropMembers(tx: Transaction, team: { organization_id: string; id: string }): Promise<number> {
  return tx.run(sql`
    delete from team_members where organization_id = ${team.organization_id} and team_id = ${team.id}`)
}

/** Another team that has this name, without regard to case; asked under the lock of the organization. */
export async function isNameTaken(
  tx: Transaction,
  { organization_id, id, name }: { organization_id: string; id: string; name: string },
): Promise<boolean> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row(sql`
    select 1 from teams where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and lower(name) = lower(${name})`)
  return row !== undefined
}
