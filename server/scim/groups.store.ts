import { isId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import { team } from '#resources/teams/index.ts'
import type { Filter } from './filter.ts'
import { type Columns, conditionOf } from './filter-sql.ts'
import type { Listed } from './list.ts'
import { group_type } from './schema.ts'
import { visibleUsers } from './users.store.ts'

const of_group = sql`m.organization_id = teams.organization_id and m.team_id = teams.id`
const members = sql`(select coalesce(jsonb_agg(jsonb_build_object('value', m.person_id, 'type', 'User')), '[]')
  from team_members m where ${of_group})`

const columns: Columns = {
  id: { expression: sql`teams.id`, is_id: true },
  externalId: { expression: sql`teams.scim_external_id` },
  displayName: { expression: sql`teams.name` },
  'meta.resourceType': { expression: sql`'Group'::text` },
  'meta.created': { expression: sql`teams.created_at` },
  'meta.lastModified': { expression: sql`teams.updated_at` },
  members: { expression: members },
}

/** Groups as lists, filters and sorting read them. */
export function listedGroups(organization_id: string): Listed {
  return {
    type: group_type,
    columns: team.columns,
    from: team.tables,
    table: 'teams',
    visible: sql`teams.organization_id = ${organization_id} and teams.deleted_at is null`,
    places: columns,
  }
}

/** The users of groups, by group, in the order of their names. */
export async function membersOf(tx: Transaction, organization_id: string, ids: readonly string[]) {
  const rows = await tx.rows<{ team_id: string; id: string; name: string }>(sql`
    select m.team_id, people.id, people.full_name as name
    from team_members m join people on people.organization_id = m.organization_id and people.id = m.person_id
    where m.organization_id = ${organization_id} and m.team_id = any (${ids}) and ${visibleUsers(organization_id)}
    order by people.full_name, people.id`)
  return Map.groupBy(rows, ({ team_id }) => team_id)
}

type Group = { organization_id: string; id: string }

/** Puts users into a group; answers those who were not in it. */
export async function addMembers(tx: Transaction, { organization_id, id }: Group, ids: readonly string[]) {
  const rows = await tx.rows<{ person_id: string }>(sql`
    insert into team_members (organization_id, team_id, person_id, created_at)
    select ${organization_id}, ${id}, person_id, ${tx.now}::timestamptz from unnest(${ids}::uuid[]) person_id
    on conflict do nothing returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

/** Takes users out of a group, those of these ids or, with `except`, all others; answers who was in it. */
export async function removeMembers(
  tx: Transaction,
  { organization_id, id }: Group,
  ids: readonly string[],
  { except = false } = {},
) {
  const meant = except ? sql`person_id <> all (${ids}::uuid[])` : sql`person_id = any (${ids}::uuid[])`
  const rows = await tx.rows<{ person_id: string }>(sql`
    delete from team_members where organization_id = ${organization_id} and team_id = ${id} and ${meant}
      and person_id in (select people.id from people where ${visibleUsers(organization_id)})
    returning person_id`)
  return rows.map(({ person_id }) => person_id)
}

/** The members of a group that the brackets of a path name, such as `members[value eq "…"]`. */
export async function membersWhere(tx: Transaction, { organization_id, id }: Group, filter: Filter): Promise<string[]> {
  const place = { attribute: { name: 'members' } }
  const rows = await tx.rows<{ id: string }>(sql`
    select e ->> 'value' as id from teams cross join lateral jsonb_array_elements(${members}) e
    where teams.organization_id = ${organization_id} and teams.id = ${id}
      and ${conditionOf({ kind: 'element', place, part: filter } as never, { members: { expression: sql`jsonb_build_array(e)` } })}`)
  return rows.map(({ id: member }) => member)
}

/** The users that these ids name, locked against removal. */
export async function usersNamed(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
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
  const row = await tx.row(sql`
    select 1 from teams where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and lower(name) = lower(${name})`)
  return row !== undefined
}
