import { isId } from '#core/values.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { findPlace, type Reader } from './attribute.ts'
import { conditionOf, valueSql } from './filter-sql.ts'
import type { MemberChange } from './patch.ts'
import { group_type, visibleUsers } from './schema.ts'

type Group = { organization_id: string; id: string }

/** Puts users into a group; answers those who were not in it. */
export async function addMembers(tx: Transaction, { organization_id, id }: Group, ids: readonly string[]) {
  const rows = await tx.rows<{ person_id: string }>(sql`
    insert into team_members (organization_id, team_id, person_id, created_at)
    select ${organization_id}, ${id}, person_id, ${tx.now}::timestamptz from unnest(${ids}::uuid[]) person_id
    on conflict do nothing returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

/** Takes the users out of a group who are in it no more after a change; answers who was in it. */
export async function removeMembers(reader: Reader, id: string, change: MemberChange) {
  const { organization_id } = reader.caller
  const rows = await reader.tx.rows<{ person_id: string }>(sql`
    delete from team_members where organization_id = ${organization_id} and team_id = ${id}
      and ${leaving({ organization_id, id }, change, reader)}
      and person_id in (select people.id from people where ${visibleUsers(organization_id)})
    returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

function leaving({ organization_id, id }: Group, change: MemberChange, reader: Reader): Sql {
  if (change.kind === 'set') return sql`person_id <> all (${change.ids}::uuid[])`
  if (change.kind !== 'remove where') return sql`person_id = any (${change.ids.filter(isId)}::uuid[])`
  const { filter } = change.target
  const members = findPlace(group_type, 'members')
  if (!filter || !members) throw new Error('members between brackets without a filter')
  return sql`person_id::text in (
    select e ->> 'value' from teams cross join lateral jsonb_array_elements(${valueSql(members, reader)}) e
    where teams.organization_id = ${organization_id} and teams.id = ${id} and ${conditionOf(filter, reader, raw('e'))})`
}

/** The users that these ids name, locked against removal. */
export async function usersNamed(tx: Transaction, organization_id: string, ids: readonly string[]) {
  const rows = await tx.rows<{ id: string }>(sql`
    select people.id from people where ${visibleUsers(organization_id)} and people.id = any (${ids.filter(isId)}::uuid[])
    order by people.id for no key update`)
  return new Set(rows.map(({ id }) => id))
}

/** Moves the time of change of people; they are locked in the order of their ids. */
export async function touchPeople(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update people set updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')
    where organization_id = ${organization_id} and id = any (${ids}::uuid[])`)
}

/** Another team that has this name, without regard to case; asked under the lock of the organization. */
export async function isNameTaken(tx: Transaction, { organization_id, id }: Group, name: string): Promise<boolean> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row(sql`
    select 1 from teams where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and lower(name) = lower(${name})`)
  return row !== undefined
}
