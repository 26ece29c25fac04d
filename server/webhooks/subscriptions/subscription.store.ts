import type { Actor, Tenant } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import { notFound } from '#core/problems.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { key_state } from '../signing-keys/signing-key.store.ts'
import type { SubscriptionRow } from './subscription.ts'

/** RFC 3339 inside JSON; sessions are in UTC. */
const json_time = sql`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** The newest are shown; of a subscription that was rotated more often GET …/signing-keys tells the rest. */
const keys_shown_max = 20

const signing_keys = sql`(
  select coalesce(json_agg(json_build_object(
    'label', k.label,
    'state', k.state,
    'created_at', to_char(k.created_at, ${json_time}),
    'activates_at', to_char(k.activates_at, ${json_time}),
    'retires_at', to_char(k.retires_at, ${json_time}),
    'last_used_at', to_char(k.last_used_at, ${json_time})) order by k.created_at desc, k.label), '[]')
  from (
    select k.*, ${key_state} as state from webhook_signing_keys k
    where k.organization_id = s.organization_id and k.subscription_id = s.id
    order by k.sealed is not null desc, k.created_at desc limit ${keys_shown_max}) k) as signing_keys`

/** Counts stop here, so that a subscription with a huge backlog is read as fast as any other. */
const backlog_max = 10_000

const backlog = sql`
  (select count(*)::int from (
    select from webhook_deliveries d
    where d.subscription_id = s.id and d.status = 'pending' limit ${backlog_max}) waiting) as pending,
  (select count(*)::int from (
    select from webhook_deliveries d
    where d.subscription_id = s.id and d.status = 'held' limit ${backlog_max}) kept) as held,
  (select min(d.created_at) from (
    select created_at from webhook_deliveries d
    where d.subscription_id = s.id and d.status = 'pending' limit ${backlog_max}) d) as oldest_pending_at,
  (select d.event_id from webhook_deliveries d
    where d.subscription_id = s.id and d.status = 'held' order by d.id limit 1) as oldest_held_event_id`

/** The furthest pending delivery of a failing lane: when it is due, and all its remaining delays after that. */
const next_to_fail = sql`(
  select json_build_object(
    'delivery_id', d.id,
    'attempts_left', cardinality(sch.delays_ms) + 1 - d.attempt_no,
    'earliest_at', to_char(d.next_attempt_at + coalesce((
      select sum(delay) from unnest(sch.delays_ms[d.attempt_no + 1 :]) delay), 0)::bigint * interval '1 millisecond',
      ${json_time}))
  from webhook_deliveries d join webhook_schedules sch on sch.id = d.schedule_id
  where l.consecutive_failures > 0 and s.status = 'active'
    and d.subscription_id = s.id and d.status = 'pending' and d.attempt_no > 0 and d.origin = 'event'
    and d.attempt_no = (select max(f.attempt_no) from webhook_deliveries f
                        where f.subscription_id = s.id and f.status = 'pending' and f.origin = 'event')
  order by d.next_attempt_at limit 1) as next_to_fail`

const columns = sql`s.id, s.name, s.description, s.url, s.events, s.status, s.disabled_reason, s.disabled_at, s.disabled_by,
  coalesce(s.disabled_error, l.last_error) as last_error, s.api_version, s.payload, s.sensitive_data, ${signing_keys},
  l.consecutive_failures, l.failing_since, ${next_to_fail}, ${backlog}, l.last_attempt_at, l.last_success_at, s.created_at,
  s.updated_at`

const from = sql`webhook_subscriptions s
  join webhook_lanes l on l.organization_id = s.organization_id and l.subscription_id = s.id`

export function subscriptionList(
  { organization_id }: Tenant,
  { statuses }: { statuses?: string[] | undefined },
): ListQuery {
  return {
    columns,
    from,
    where: [
      sql`s.organization_id = ${organization_id}`,
      sql`s.status <> 'deleted'`,
      ...(statuses ? [sql`s.status = any (${statuses})`] : []),
    ],
    order: ['s.created_at', 's.id'],
    updated_at: 's.updated_at',
  }
}

export function findSubscription(tx: Transaction, { organization_id }: Tenant, id: string) {
  return tx.row<SubscriptionRow>(sql`
    select ${columns} from ${from}
    where s.organization_id = ${organization_id} and s.id = ${id} and s.status <> 'deleted'`)
}

/** Throws `not_found` for a subscription that was never there or is deleted. */
export async function readSubscription(tx: Transaction, tenant: Tenant, id: string): Promise<SubscriptionRow> {
  const row = await findSubscription(tx, tenant, id)
  if (!row) throw notFound()
  return row
}

/** Reads the subscription for a change: its lane is locked first, so that no attempt is claimed or recorded meanwhile. */
export async function lockSubscription(tx: Transaction, tenant: Tenant, id: string): Promise<SubscriptionRow> {
  await tx.run(sql`
    select from webhook_lanes where organization_id = ${tenant.organization_id} and subscription_id = ${id} for update`)
  return readSubscription(tx, tenant, id)
}

/** Counts the subscriptions of an organization; whoever else is about to add one waits for the end of this transaction. */
export async function countSubscriptions(tx: Transaction, { organization_id }: Tenant): Promise<number> {
  await tx.run(sql`select from organizations where id = ${organization_id} for no key update`)
  const row = await tx.row<{ subscriptions: number }>(sql`
    select count(*)::int as subscriptions from webhook_subscriptions
    where organization_id = ${organization_id} and status <> 'deleted'`)
  return row?.subscriptions ?? 0
}

/** The fields that a caller decides. */
export type SubscriptionFields = Pick<
  SubscriptionRow,
  'name' | 'description' | 'url' | 'events' | 'payload' | 'sensitive_data'
>

/** Writes the subscription and its lane; made disabled, it is so by hand. */
export async function insertSubscription(
  tx: Transaction,
  { organization_id }: Tenant,
  subscription: SubscriptionFields & Pick<SubscriptionRow, 'id' | 'status' | 'api_version'>,
  by: Actor,
): Promise<void> {
  const { id, name, description, url, events, status, api_version, payload, sensitive_data } = subscription
  const is_disabled = status === 'disabled'
  await tx.run(sql`
    insert into webhook_subscriptions (id, organization_id, name, description, url, events, status, disabled_reason,
      disabled_at, disabled_by, api_version, payload, sensitive_data, revision, created_by, created_at, updated_at)
    values (${id}, ${organization_id}, ${name}, ${description}, ${url}, ${events}, ${status},
      ${is_disabled ? 'manual' : null}, case when ${is_disabled} then app_now() end,
      ${is_disabled ? JSON.stringify(by) : null}, ${api_version}, ${payload}, ${sensitive_data}, 1,
      ${JSON.stringify(by)}, app_now(), app_now())`)
  await tx.run(sql`insert into webhook_lanes (organization_id, subscription_id) values (${organization_id}, ${id})`)
  await recordRevision(tx, organization_id, id, by)
}

export async function changeSubscription(
  tx: Transaction,
  tenant: Tenant,
  row: SubscriptionRow,
  change: Partial<SubscriptionFields>,
  by: Actor,
): Promise<void> {
  const { name, description, url, events, payload, sensitive_data } = { ...row, ...change }
  const set = sql`name = ${name}, description = ${description}, url = ${url}, events = ${events}, payload = ${payload},
    sensitive_data = ${sensitive_data}`
  await write(tx, tenant, row.id, set, by)
  if (row.events.every((type) => events.includes(type))) return
  await tx.run(sql`
    update webhook_lanes set has_unlisted = true
    where organization_id = ${tenant.organization_id} and subscription_id = ${row.id}`)
}

/** Disables by hand. */
export function setDisabled(tx: Transaction, tenant: Tenant, id: string, by: Actor): Promise<void> {
  const set = sql`status = 'disabled', disabled_reason = 'manual', disabled_at = ${tx.now},
    disabled_by = ${JSON.stringify(by)}, disabled_error = null`
  return write(tx, tenant, id, set, by)
}

/** Enables with the counter of failures at zero; held deliveries are released, or discarded. */
export async function setActive(tx: Transaction, tenant: Tenant, id: string, discards_held: boolean, by: Actor) {
  const set = sql`status = 'active', disabled_reason = null, disabled_at = null, disabled_by = null, disabled_error = null`
  await write(tx, tenant, id, set, by)
  await tx.run(sql`
    update webhook_lanes
    set consecutive_failures = 0, failing_since = null, limit_now = null, success_run = 0,
      discard_before = case when ${discards_held} then app_now() else discard_before end
    where organization_id = ${tenant.organization_id} and subscription_id = ${id}`)
}

/** Marks a subscription as deleted and destroys its key values; its history stays. */
export async function markDeleted(tx: Transaction, tenant: Tenant, id: string, by: Actor): Promise<void> {
  await write(tx, tenant, id, sql`status = 'deleted', deleted_at = app_now()`, by)
  await tx.run(sql`
    update webhook_signing_keys set sealed = null, retires_at = coalesce(least(retires_at, app_now()), app_now())
    where organization_id = ${tenant.organization_id} and subscription_id = ${id} and sealed is not null`)
}

/** Every change of what a subscription is goes through here, with its lane locked. */
async function write(tx: Transaction, { organization_id }: Tenant, id: string, set: Sql, by: Actor): Promise<void> {
  await tx.run(sql`
    update webhook_subscriptions set ${set}, revision = revision + 1, updated_at = app_now()
    where organization_id = ${organization_id} and id = ${id}`)
  await recordRevision(tx, organization_id, id, by)
}

/** Notes that the keys of a subscription changed, and with them what it shows. */
export async function noteKeyChange(tx: Transaction, { organization_id }: Tenant, id: string): Promise<void> {
  await tx.run(sql`
    update webhook_subscriptions set updated_at = app_now()
    where organization_id = ${organization_id} and id = ${id}`)
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
