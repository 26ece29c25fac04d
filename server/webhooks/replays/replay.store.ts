import type { Tenant } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import { notFound, refuseDuplicate } from '#core/problems.ts'
import { raw, sql, type Transaction } from '#db/database.ts'
import { replayRunning } from '../problems.ts'
import { Replay, type ReplayRow } from './replay.ts'

refuseDuplicate('webhook_replays_open', replayRunning, 'The subscription has a replay that is not finished.')

/** Columns are called as the fields that they are shown in, but for one. */
const columns = raw(
  Object.keys(Replay.properties)
    .map((name) => (name === 'webhook_id' ? 'r.subscription_id as webhook_id' : `r.${name}`))
    .join(', '),
)

export async function insertReplay(
  tx: Transaction,
  { organization_id }: Tenant,
  replay: Pick<ReplayRow, 'id' | 'webhook_id' | 'since' | 'until' | 'statuses' | 'requested_by'>,
): Promise<void> {
  const { id, webhook_id, since, until, statuses, requested_by } = replay
  await tx.run(sql`
    insert into webhook_replays (organization_id, id, subscription_id, since, until, statuses, state, requested_by,
      created_at, updated_at)
    values (${organization_id}, ${id}, ${webhook_id}, ${since}, ${until}, ${statuses}, 'queued',
      ${JSON.stringify(requested_by)}, app_now(), app_now())`)
}

/** Throws `not_found` where the subscription has no such replay. */
export async function readReplay(
  tx: Transaction,
  { organization_id }: Tenant,
  subscription_id: string,
  id: string,
): Promise<ReplayRow> {
  const row = await tx.row<ReplayRow>(sql`
    select ${columns} from webhook_replays r
    where r.organization_id = ${organization_id} and r.subscription_id = ${subscription_id} and r.id = ${id}`)
  if (!row) throw notFound()
  return row
}

export function replayList({ organization_id }: Tenant, subscription_id: string): ListQuery {
  return {
    columns,
    from: sql`webhook_replays r`,
    where: [sql`r.organization_id = ${organization_id}`, sql`r.subscription_id = ${subscription_id}`],
    order: ['r.created_at', 'r.id'],
    updated_at: 'r.updated_at',
  }
}

/** Ends an open job, with the lane locked, and gives up its unsent deliveries: never more than a job may have unsent. Answers how many. */
export async function cancelReplayRows(tx: Transaction, { organization_id }: Tenant, id: string): Promise<number> {
  await tx.run(sql`
    update webhook_replays set state = 'cancelled', finished_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and id = ${id} and state in ('queued', 'running', 'paused')`)
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'cancelled', hold_reason = null, next_attempt_at = null, completed_at = app_now(),
      updated_at = app_now()
    where d.organization_id = ${organization_id} and d.replay_id = ${id} and d.origin = 'replay'
      and d.status in ('pending', 'held')`)
}

/** Deliveries that one batch reads. */
export const read_rows_max = 500
/** A job inserts nothing while this many of its deliveries are unsent. */
export const unsent_max = 200

/** Jobs with something to do that the rate lets go on, and where they are. */
export function openReplays(tx: Transaction, jobs_max: number): Promise<{ id: string; subscription_id: string }[]> {
  return tx.rows<{ id: string; subscription_id: string }>(sql`
    select r.id, r.subscription_id from webhook_replays r
    join webhook_subscriptions s on s.organization_id = r.organization_id and s.id = r.subscription_id
    where not r.is_settled
      and (r.state = 'cancelled' or r.inserted_at is null or r.inserted_at <= app_now() - interval '1 second')
      and not (r.state = 'paused' and s.status = 'disabled')
    limit ${jobs_max}`)
}

export interface ReplayJob extends Pick<ReplayRow, 'id' | 'state' | 'since' | 'until' | 'statuses'> {
  organization_id: string
  subscription_id: string
  /** The last delivery that was read. */
  position: string | null
  /** Deliveries of this job that are waiting, held or under way, up to the most it may have. */
  unsent: number
  sending: number
}

/** A job that is not over, whose lane is locked: nobody else works on it. */
export function readJob(tx: Transaction, { organization_id }: Tenant, id: string) {
  return tx.row<ReplayJob>(sql`
    select r.id, r.organization_id, r.subscription_id, r.state, r.since, r.until, r.statuses, r.position,
      unsent.all_of_them as unsent, unsent.sending
    from webhook_replays r cross join lateral (
      select count(*)::int as all_of_them, (count(*) filter (where d.status = 'sending'))::int as sending
      from webhook_deliveries d
      where d.replay_id = r.id and d.origin = 'replay' and d.status in ('pending', 'sending', 'held')) unsent
    where r.organization_id = ${organization_id} and r.id = ${id} and not r.is_settled`)
}

export interface ReplaySource {
  id: string
  event_id: string
  event_type: string
  status: string
  is_recovered: boolean
}

/**
 * The next deliveries of the time span in the order of their ids, whatever their status, so that no batch reads more
 * rows than it answers. An id is made shortly before its row is recorded: an hour covers clocks and long transactions.
 */
export function readSources(tx: Transaction, job: ReplayJob): Promise<ReplaySource[]> {
  return tx.rows<ReplaySource>(sql`
    select d.id, d.event_id, d.event_type, d.status, d.recovered_at is not null as is_recovered
    from webhook_deliveries d
    where d.organization_id = ${job.organization_id} and d.subscription_id = ${job.subscription_id}
      and d.origin = 'event' and d.created_at >= ${job.since} and d.created_at < ${job.until}
      and d.event_id >= first_id_at(${job.since}::timestamptz - interval '1 hour')
      and d.event_id < first_id_at(${job.until}::timestamptz + interval '1 hour')
      and d.id > coalesce(${job.position}::uuid, first_id_at(${job.since}::timestamptz - interval '1 hour'))
      and d.id < first_id_at(${job.until}::timestamptz + interval '1 hour')
    order by d.id limit ${read_rows_max}`)
}

/** Progress of a job by one batch. */
interface Progress extends Pick<ReplayRow, 'matched' | 'created' | 'skipped'> {
  position: string | null
  is_complete: boolean
}

/** In the transaction of the batch. */
export async function advance(tx: Transaction, job: ReplayJob, progress: Progress): Promise<void> {
  const { position, matched, created, skipped, is_complete } = progress
  await tx.run(sql`
    update webhook_replays
    set position = ${position}, matched = matched + ${matched}, created = created + ${created},
      skipped = skipped + ${skipped}, state = ${is_complete ? 'completed' : 'running'}, is_settled = ${is_complete},
      inserted_at = case when ${created > 0} then app_now() else inserted_at end,
      finished_at = case when ${is_complete} then app_now() end, updated_at = app_now()
    where organization_id = ${job.organization_id} and id = ${job.id}`)
}

export async function pause(tx: Transaction, job: ReplayJob): Promise<void> {
  await tx.run(sql`
    update webhook_replays set state = 'paused', updated_at = app_now()
    where organization_id = ${job.organization_id} and id = ${job.id} and state <> 'paused'`)
}

/** Nothing of a cancelled job is left. */
export async function closeReplay(tx: Transaction, job: ReplayJob): Promise<void> {
  await tx.run(sql`
    update webhook_replays set is_settled = true, updated_at = app_now()
    where organization_id = ${job.organization_id} and id = ${job.id}`)
}
