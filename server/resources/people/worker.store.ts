import { moved } from '#core/table.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { named, type PersonRow, person } from './person.ts'

/** The part of a person that contracts and events need. */
export type Worker = Parameters<typeof person.entryOf>[0] & Pick<PersonRow, 'locale'>

const columns = sql`p.id, p.external_id, p.email, p.full_name, p.worker_type, p.status, p.access, p.country, p.locale, p.created_at`

/**
 * A person by id or e-mail, locked until the transaction ends: its status follows from its contracts, so changes of
 * two contracts of one person have to pass here one after the other.
 */
export function lockWorker(
  tx: Transaction,
  organization_id: string,
  by: { id: string } | { email: string },
): Promise<Worker | undefined> {
  const wanted = 'id' in by ? sql`p.id = ${by.id}` : sql`p.email_lower = ${by.email.toLowerCase()}`
  return tx.row<Worker>(sql`
    select ${columns} from people p
    where p.organization_id = ${organization_id} and ${wanted} and p.deleted_at is null for no key update`)
}

type NewWorker = Pick<PersonRow, 'id' | 'first_name' | 'last_name' | 'email' | 'country' | 'worker_type' | 'status'> &
  Partial<Pick<PersonRow, 'region' | 'external_id'>>

/** Stores a person with the status given; undefined when one with this e-mail came into being meanwhile. */
export async function insertWorker(
  tx: Transaction,
  organization_id: string,
  worker: NewWorker,
): Promise<Worker | undefined> {
  const row = named(person.newRow(tx, { ...worker, organization_id }))
  const is_new = await person.insert(tx, row, sql`(organization_id, email_lower) where deleted_at is null`)
  return is_new ? row : undefined
}

/**
 * Writes the status that `derived` (one text value) says; answers the person when it changed. The person is locked by
 * a statement of its own before: what the contracts say is then read after every change that was ahead of this one.
 */
export async function writeStatus(
  tx: Transaction,
  organization_id: string,
  id: string,
  derived: Sql,
): Promise<Worker | undefined> {
  const [, changed] = await Promise.all([
    tx.run(sql`select id from people where organization_id = ${organization_id} and id = ${id} for no key update`),
    tx.row<Worker>(sql`
      update people p
      set status = derived.status, ${moved(tx, 'p')}
      from (select ${derived} as status) derived
      where p.organization_id = ${organization_id} and p.id = ${id} and p.status <> derived.status
      returning ${columns}`),
  ])
  return changed
}
