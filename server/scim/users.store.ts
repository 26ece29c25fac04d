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
