import type { Tenant } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'
import { endDeliveries, place_of_row } from '../delivery/deliver.store.ts'

export const ofSubscription = (id: string) => sql`webhook_replays.subscription_id = ${id}`

/** Gives up the unsent deliveries of a job, with the queue locked: never more than a job may have. Answers how many. */
export function cancelUnsent(tx: Transaction, { organization_id }: Tenant, id: string): Promise<number> {
  return endDeliveries(
    tx,
    sql`select ${place_of_row}, 'cancelled' as status from webhook_open_deliveries d
      where d.organization_id = ${organization_id} and d.replay_id = ${id} and d.origin = 'replay' and d.status <> 'sending'`,
  )
}

/** Deliveries that one batch reads. */
export const read_rows_max = 500
/** A job inserts nothing while this many of its deliveries are unsent. */
export const unsent_max = 200

/** Jobs with something to do that the rate lets go on, in an order of chance: a pass may have no time for all of them. */
export function openReplays(tx: Transaction, jobs_max: number): Promise<{ id: string; subscription_id: string }[]> {
  return tx.rows<{ id: string; subscription_id: string }>(sql`
    select r.id, r.subscription_id from webhook_replays r
    join webhook_subscriptions s on s.organization_id = r.organization_id and s.id = r.subscription_id
    where not r.is_settled
      and (r.state = 'cancelled' or r.inserted_at is null or r.inserted_at <= app_now() - interval '1 second')
      and not (r.state = 'paused' and s.status = 'disabled')
    order by random() limit ${jobs_max}`)
}

/** Deliveries of a job that are waiting, held or under way, up to the most it may have. */
export async function countUnsent(tx: Transaction, { organization_id, id }: { organization_id: string; id: string }) {
  const row = await tx.row<{ unsent: number; sending: number }>(sql`
    select count(*)::int as unsent, (count(*) filter (where status = 'sending'))::int as sending
    from webhook_open_deliveries
    where organization_id = ${organization_id} and replay_id = ${id} and origin = 'replay'`)
  return row ?? { unsent: 0, sending: 0 }
}

export type ReplaySource = Awaited<ReturnType<typeof readSources>>[number]

/**
 * The next deliveries of the time span in the order of their ids, whatever their status, so that no batch reads more
 * rows than it answers. An id is made shortly before its row is recorded: an hour covers clocks and long transactions.
 */
export function readSources(
  tx: Transaction,
  job: { organization_id: string; subscription_id: string; since: string; until: string; position: string | null },
) {
  return tx.rows<{ id: string; event_id: string; event_type: string; status: string; is_recovered: boolean }>(sql`
    select d.id, d.event_id, d.event_type, d.status, d.recovered_at is not null as is_recovered
    from all_webhook_deliveries d
    where d.organization_id = ${job.organization_id} and d.subscription_id = ${job.subscription_id}
      and d.origin = 'event' and d.created_at >= ${job.since} and d.created_at < ${job.until}
      and d.event_id >= first_id_at(${job.since}::timestamptz - interval '1 hour')
      and d.event_id < first_id_at(${job.until}::timestamptz + interval '1 hour')
      and d.id > coalesce(${job.position}::uuid, first_id_at(${job.since}::timestamptz - interval '1 hour'))
      and d.id < first_id_at(${job.until}::timestamptz + interval '1 hour')
    order by d.id limit ${read_rows_max}`)
}
