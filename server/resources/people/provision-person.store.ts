import { moved } from '#core/table.ts'
import { isId } from '#core/values.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import type { PersonRow } from './person.ts'

/** People whom an identity provider sees: named, not removed by it, not deleted. */
export const provisioned_people = (organization_id: string | Sql): Sql => sql`
  people.organization_id = ${organization_id} and people.deleted_at is null and people.scim_removed_at is null
  and people.user_name_lower is not null`

/** People who could be the one that a provider makes, locked: by user name first, then by a work e-mail address. */
export function peopleNamed(
  tx: Transaction,
  organization_id: string,
  { user_name, emails }: { user_name: string; emails: readonly string[] },
): Promise<{ id: string; is_by_name: boolean }[]> {
  return tx.rows(sql`
    select id, user_name_lower = lower(${user_name}) as is_by_name from people
    where organization_id = ${organization_id} and deleted_at is null
      and (user_name_lower = lower(${user_name})
        or (scim_linked_at is null and email_lower = any (${emails.map((email) => email.toLowerCase())})))
    order by is_by_name desc, id for no key update`)
}

/** The id of the person whom the value of a manager means: an id, external id or user name. */
export async function personKnownAs(tx: Transaction, organization_id: string, value: string): Promise<string | null> {
  const row = await tx.row<{ id: string }>(sql`
    select id from people where ${provisioned_people(organization_id)}
      and (id = ${isId(value) ? value : null}::uuid or scim_external_id = ${value} or user_name_lower = lower(${value}))
    order by id::text = ${value} desc, id limit 1`)
  return row?.id ?? null
}

/** Ids of the people who wait for a manager of one of these names, in lower case. */
export async function waitingFor(
  tx: Transaction,
  { organization_id, id }: PersonRow,
  names: readonly string[],
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from people where organization_id = ${organization_id} and deleted_at is null and id <> ${id}
      and manager_ref_lower = any (${names})
    order by id for no key update`)
  return rows.map((row) => row.id)
}

/** Gives people who are locked a manager. */
export async function setManager(
  tx: Transaction,
  { organization_id, id }: PersonRow,
  ids: readonly string[],
): Promise<void> {
  await tx.run(sql`
    update people set manager_id = ${id}, manager_ref = null,
      ${moved(tx)}
    where organization_id = ${organization_id} and id = any (${ids}::uuid[])`)
}

/** The users that these ids name, locked against removal. */
export async function usersAmong(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select people.id from people where ${provisioned_people(organization_id)} and people.id = any (${ids.filter(isId)}::uuid[])
    order by people.id for no key update`)
  return new Set(rows.map(({ id }) => id))
}
