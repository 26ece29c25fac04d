import { type Sql, sql, type Transaction } from '#db/database.ts'

type Team = { organization_id: string; id: string }

/** Puts people into a team; answers those who were not in it. */
export async function addMembers(tx: Transaction, { organization_id, id }: Team, ids: readonly string[]) {
  const rows = await tx.rows<{ person_id: string }>(sql`
    insert into team_members (organization_id, team_id, person_id, created_at)
    select ${organization_id}, ${id}, person_id, ${tx.now}::timestamptz from unnest(${ids}::uuid[]) person_id
    on conflict do nothing returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

/** Takes the people out of a team whom a condition on `person_id` names; answers who was in it. */
export async function removeMembers(tx: Transaction, { organization_id, id }: Team, leaving: Sql) {
  const rows = await tx.rows<{ person_id: string }>(sql`
    delete from team_members where organization_id = ${organization_id} and team_id = ${id} and ${leaving}
    returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

/** Moves the time of change of people who are locked. */
export async function touchPeople(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update people set updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')
    where organization_id = ${organization_id} and id = any (${ids}::uuid[])`)
}
