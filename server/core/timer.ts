import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { newId } from './id.ts'

/** One timed transition: what is to happen to which row, and when. */
export interface Timer {
  organization_id: string
  kind: string
  /** Order among timers due at the same moment; 1 first. */
  priority: number
  subject_id: string
  contract_id: string | null
  due_at: string
}

/** Sets a timer in the transaction that makes it necessary; an open one of the same kind and subject is moved. */
export async function setTimer(tx: Transaction, timer: Timer): Promise<void> {
  const { organization_id, kind, priority, subject_id, contract_id, due_at } = timer
  await tx.run(sql`
    insert into timers (id, organization_id, kind, priority, subject_id, contract_id, due_at, created_at)
    values (${newId(Date.parse(tx.now))}, ${organization_id}, ${kind}, ${priority}, ${subject_id}, ${contract_id}, ${due_at}, app_now())
    on conflict (organization_id, kind, subject_id) where fired_at is null and cancelled_at is null
    do update set due_at = excluded.due_at, retry_at = null, failures = 0`)
}

/** Cancels the open timer of a kind and subject, if there is one. */
export async function cancelTimer(
  tx: Transaction,
  { organization_id, kind, subject_id }: Pick<Timer, 'organization_id' | 'kind' | 'subject_id'>,
): Promise<void> {
  await tx.run(sql`
    update timers set cancelled_at = app_now()
    where organization_id = ${organization_id} and kind = ${kind} and subject_id = ${subject_id}
      and fired_at is null and cancelled_at is null`)
}
