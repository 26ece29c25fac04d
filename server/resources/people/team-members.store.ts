import { moved } from '#core/table.ts'
import { isId } from '#core/values.ts'
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

/** Takes people out of a team: these, those whom a condition on `person_id` names, or all but those who stay; answers who was in it. */
export async function removeMembers(
  tx: Transaction,
  { organization_id, id }: Team,
  leaving: readonly string[] | Sql | 'others',
  staying: readonly string[] = [],
) {
  const rows = await tx.rows<{ person_id: string }>(sql`
    delete from team_members where organization_id = ${organization_id} and team_id = ${id}
      and ${leavingSql(leaving, staying)} returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

function leavingSql(leaving: readonly string[] | Sql | 'others', staying: readonly string[]): Sql {
  if (leaving === 'others') return sql`person_id <> all (${staying}::uuid[])`
  return 'strings' in leaving ? leaving : sql`person_id = any (${leaving.filter(isId)}::uuid[])`
}

/** Moves the time of change of people who are locked. */
export async function touchPeople(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update people set ${moved(tx)}
    where organization_id = ${organization_id} and id = any (${ids}::uuid[])`)
}
