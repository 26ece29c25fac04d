import type { Actor, Tenant } from '#core/caller.ts'
import { raw, sql, type Transaction } from '#db/database.ts'
import { key_state } from '../signing-keys/signing-key.store.ts'

/** RFC 3339 inside JSON; sessions are in UTC. */
const json_time = sql`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** The newest are shown; of a subscription that was rotated more often GET …/signing-keys tells the rest. */
const keys_shown_max = 20

export const signing_keys = sql`(
  select coalesce(json_agg(json_build_object(
    'label', k.label,
    'state', k.state,
    'created_at', to_char(k.created_at, ${json_time}),
    'activates_at', to_char(k.activates_at, ${json_time}),
    'retires_at', to_char(k.retires_at, ${json_time}),
    'last_used_at', to_char(k.last_used_at, ${json_time})) order by k.created_at desc, k.label), '[]')
  from (
    select k.*, ${key_state} as state from webhook_signing_keys k
    where k.organization_id = webhook_subscriptions.organization_id and k.subscription_id = webhook_subscriptions.id
    order by k.sealed is not null desc, k.created_at desc limit ${keys_shown_max}) k)`

/** Counts stop here, so that a subscription with a huge backlog is read as fast as any other. */
const backlog_max = 10_000

const having = (status: string) => sql`(
  select created_at from webhook_open_deliveries d
  where d.subscription_id = webhook_subscriptions.id and d.status = ${raw(`'${status}'`)} limit ${backlog_max})`
/** Deliveries under way are not made yet either. A part for each status, since each has an index of its own. */
const unsent = (what: string) => sql`(
  select ${raw(what)} from (${having('sending')} union all ${having('pending')} limit ${backlog_max}) d)`
export const pending = unsent('count(*)::int')
export const held = sql`(select count(*)::int from ${having('held')} d)`
export const oldest_pending_at = unsent('min(d.created_at)')
export const oldest_held_event_id = sql`(
  select d.event_id from webhook_open_deliveries d
  where d.subscription_id = webhook_subscriptions.id and d.status = 'held' order by d.id limit 1)`

/** The furthest pending delivery of a failing queue: when it is due, and all its remaining delays after that. */
export const next_to_fail = sql`(
  select json_build_object(
    'delivery_id', d.id,
    'attempts_left', cardinality(sch.delays_ms) + 1 - d.attempt_no,
    'earliest_at', to_char(d.next_attempt_at + coalesce((
      select sum(delay) from unnest(sch.delays_ms[d.attempt_no + 1 :]) delay), 0)::bigint * interval '1 millisecond',
      ${json_time}))
  from webhook_open_deliveries d join webhook_schedules sch on sch.id = d.schedule_id
  where l.consecutive_failures > 0 and webhook_subscriptions.status = 'active'
    and d.subscription_id = webhook_subscriptions.id and d.status = 'pending' and d.attempt_no > 0 and d.origin = 'event'
    and d.attempt_no = (select max(f.attempt_no) from webhook_open_deliveries f
                        where f.subscription_id = webhook_subscriptions.id and f.status = 'pending' and f.origin = 'event')
  order by d.next_attempt_at limit 1)`

export const last_error = sql`coalesce(webhook_subscriptions.disabled_error, l.last_error)`
export const undeleted = sql`webhook_subscriptions.status <> 'deleted'`
export const with_queue = sql`join webhook_lanes l on l.organization_id = webhook_subscriptions.organization_id
  and l.subscription_id = webhook_subscriptions.id`

/** Counts the subscriptions of an organization; whoever else is about to add one waits for the end of this transaction. */
export async function countSubscriptions(tx: Transaction, { organization_id }: Tenant): Promise<number> {
  await tx.run(sql`select from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row<{ subscriptions: number }>(sql`
    select count(*)::int as subscriptions from webhook_subscriptions
    where organization_id = ${organization_id} and status <> 'deleted'`)
  return row?.subscriptions ?? 0
}

/** Locks the queue of a subscription, so that no attempt is claimed or recorded meanwhile. */
export async function lockQueueOf(tx: Transaction, { organization_id }: Tenant, id: string): Promise<void> {
  await tx.run(sql`
    select from webhook_lanes where organization_id = ${organization_id} and subscription_id = ${id} for update`)
}

export async function insertQueue(tx: Transaction, { organization_id }: Tenant, id: string): Promise<void> {
  await tx.run(sql`insert into webhook_lanes (organization_id, subscription_id) values (${organization_id}, ${id})`)
}

/** Event types were taken away: unsent deliveries of them are to be cancelled. */
export async function noteUnlisted(tx: Transaction, { organization_id }: Tenant, id: string): Promise<void> {
  await tx.run(sql`
    update webhook_lanes set has_unlisted = true
    where organization_id = ${organization_id} and subscription_id = ${id}`)
}

/** The counter of failures begins again; held deliveries are released, or discarded. */
export async function resetQueue(tx: Transaction, { organization_id }: Tenant, id: string, discards_held: boolean) {
  await tx.run(sql`
    update webhook_lanes
    set consecutive_failures = 0, failing_since = null, window_size = 1, is_quick = false,
      discard_before = case when ${discards_held} then app_now() else discard_before end
    where organization_id = ${organization_id} and subscription_id = ${id}`)
}

export const deleted_now = sql`status = 'deleted', deleted_at = app_now()`

/** Destroys the key values of a deleted subscription; its history stays. */
export async function destroyKeys(tx: Transaction, { organization_id }: Tenant, id: string): Promise<void> {
  await tx.run(sql`
    update webhook_signing_keys set sealed = null, retires_at = coalesce(least(retires_at, app_now()), app_now())
    where organization_id = ${organization_id} and subscription_id = ${id} and sealed is not null`)
}

/** Keeps what a subscription is from now on; every change of its row goes through here, in its transaction. */
export async function recordRevision(tx: Transaction, organization_id: string, id: string, by: Actor): Promise<void> {
  await tx.run(sql`
    insert into webhook_subscription_revisions (organization_id, subscription_id, revision, valid_from, status, events,
      payload, sensitive_data, changed_by)
    select organization_id, id, revision, app_now(), status, events, payload, sensitive_data, ${JSON.stringify(by)}
    from webhook_subscriptions where organization_id = ${organization_id} and id = ${id}`)
}

/** The sensitive categories that the subscription has or had at any time. */
export async function everGranted(tx: Transaction, { organization_id }: Tenant, id: string): Promise<string[]> {
  const rows = await tx.rows<{ category: string }>(sql`
    select distinct unnest(sensitive_data) as category from webhook_subscription_revisions
    where organization_id = ${organization_id} and subscription_id = ${id}`)
  return rows.map(({ category }) => category)
}
