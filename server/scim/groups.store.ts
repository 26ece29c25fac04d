import { isId } from '#core/values.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { findPlace, type Reader } from './attribute.ts'
import { conditionOf, valueSql } from './filter-sql.ts'
import type { MemberChange } from './patch.ts'
import { group_type, visibleUsers } from './schema.ts'

type Group = { organization_id: string; id: string }

/** The condition on `person_id` that names the users who are in a group no more after a change. */
export function leavingOf({ organization_id, id }: Group, change: MemberChange, reader: Reader): Sql {
  const visible = sql`person_id in (select people.id from people where ${visibleUsers(organization_id)})`
  if (change.kind === 'set') return sql`${visible} and person_id <> all (${change.ids}::uuid[])`
  if (change.kind !== 'remove where') return sql`${visible} and person_id = any (${change.ids.filter(isId)}::uuid[])`
  const members = findPlace(group_type, 'members')
  if (!change.target.filter || !members) throw new Error('members between brackets without a filter')
  return sql`person_id::text in (
    select e ->> 'value' from teams cross join lateral jsonb_array_elements(${valueSql(members, reader)}) e
    where teams.organization_id = ${organization_id} and teams.id = ${id}
      and ${conditionOf(change.target.filter, reader, raw('e'))})`
}

/** The users that these ids name, locked against removal. */
export async function usersNamed(tx: Transaction, organization_id: string, ids: readonly string[]) {
  const rows = await tx.rows<{ id: string }>(sql`
    select people.id from people where ${visibleUsers(organization_id)} and people.id = any (${ids.filter(isId)}::uuid[])
    order by people.id for no key update`)
  return new Set(rows.map(({ id }) => id))
}

/** Another team that has this name, without regard to case; asked under the lock of the organization. */
export async function isNameTaken(tx: Transaction, { organization_id, id }: Group, name: string): Promise<boolean> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row(sql`
    select 1 from teams where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and lower(name) = lower(${name})`)
  return row !== undefined
}
