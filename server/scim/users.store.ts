import { isId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import type { PersonRow } from '#resources/people/index.ts'
import { visibleUsers } from './schema.ts'

/** People who could be the user that a client makes, locked: by user name first, then by a work e-mail address. */
export function matchUser(
  tx: Transaction,
  organization_id: string,
  { user_name, emails: sent }: { user_name: string; emails: readonly string[] },
): Promise<{ id: string; is_by_name: boolean }[]> {
  return tx.rows(sql`
    select id, user_name_lower = lower(${user_name}) as is_by_name from people
    where organization_id = ${organization_id} and deleted_at is null
      and (user_name_lower = lower(${user_name})
        or (scim_linked_at is null and email_lower = any (${sent.map((email) => email.toLowerCase())})))
    order by is_by_name desc, id for no key update`)
}

/** The first of these addresses that no other person has. */
export async function freeEmail(
  tx: Transaction,
  { organization_id, id }: PersonRow,
  candidates: readonly string[],
): Promise<string | null> {
  const taken = await tx.rows<{ email_lower: string }>(sql`
    select email_lower from people where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and email_lower = any (${candidates.map((email) => email.toLowerCase())})`)
  return candidates.find((email) => !taken.some(({ email_lower }) => email_lower === email.toLowerCase())) ?? null
}

/** The user that a manager's value means: by id, external id or user name. */
export async function findManager(tx: Transaction, organization_id: string, value: string): Promise<string | null> {
  const row = await tx.row<{ id: string }>(sql`
    select id from people where ${visibleUsers(organization_id)}
      and (id = ${isId(value) ? value : null}::uuid or scim_external_id = ${value} or user_name_lower = lower(${value}))
    order by id::text = ${value} desc, id limit 1`)
  return row?.id ?? null
}

/** People who wait for a manager whom this user is. */
export function waitingFor(tx: Transaction, row: PersonRow): Promise<{ id: string }[]> {
  const { organization_id, id, scim_external_id, user_name, email } = row
  const names = [id, scim_external_id, user_name ?? email].filter((name) => name !== null)
  return tx.rows(sql`
    select id from people where organization_id = ${organization_id} and deleted_at is null and id <> ${id}
      and manager_ref_lower = any (${names.map((name) => name.toLowerCase())})
    order by id for no key update`)
}

/** True when something refers to the person, so that a removal only hides it. */
export async function isReferredTo(tx: Transaction, { organization_id, id }: PersonRow): Promise<boolean> {
  const row = await tx.row(sql`
    select 1 from contracts where organization_id = ${organization_id} and worker_id = ${id}
    union all select 1 from people where organization_id = ${organization_id} and manager_id = ${id} and deleted_at is null
    union all select 1 from time_offs where organization_id = ${organization_id} and person_id = ${id} limit 1`)
  return row !== undefined
}

/** The departments of this name, those at the top first, held while one of them is referred to. */
export function departmentsNamed(tx: Transaction, organization_id: string, name: string): Promise<{ id: string }[]> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  return tx.rows(sql`
    select id from departments where organization_id = ${organization_id} and name = ${name} and deleted_at is null
    order by parent_id nulls first limit 2 for key share`)
}
