import type { Transaction } from '#db/database.ts'
import { raw, type Sql, sql } from '#db/sql.ts'

export interface InspectionScope {
  /** Events recorded this long ago or later are looked at. */
  hours: number
  /** A subscription that was changed so shortly before or after an event may or may not have been seen by it. */
  concurrent_s: number
  /** Of each organization the newest so many events or deliveries are looked at; null for all. */
  rows_max: number | null
}

export interface Violations {
  count: number
  /** Ids of the first few. */
  examples: string[]
}

const examples_max = 5
const counted_max = 10_000
const limit_ms = 300_000

/** What the SQL of one invariant finds: `id` of each row that breaks it. */
export async function violationsOf(tx: Transaction, broken: Sql): Promise<Violations> {
  await tx.run(sql`select set_config('statement_timeout', ${String(limit_ms)}, true)`)
  const row = await tx.row<Violations>(sql`
    select count(*)::int as count, coalesce((array_agg(id::text))[1:${examples_max}], '{}') as examples
    from (select id from (${broken}) broken limit ${counted_max}) counted`)
  return row ?? { count: 0, examples: [] }
}

/** Rows of the given time, organization by organization: every index on them begins with that. */
const recent = (table: 'events' | 'webhook_deliveries', { hours, rows_max }: InspectionScope) => sql`
  (select distinct organization_id from webhook_subscriptions) o cross join lateral (
    select * from ${raw(table)} newest
    where newest.organization_id = o.organization_id
      and newest.event_id >= first_id_at(app_now() - ${`${hours} hours`}::interval)
    order by newest.event_id desc limit ${rows_max})`

/** Events without the delivery that a subscription was due, by what it was when the event was recorded. */
export function missingDeliveries(scope: InspectionScope): Sql {
  return sql`
    select e.event_id as id from ${recent('events', scope)} e
    join webhook_subscriptions s on s.organization_id = e.organization_id
    cross join lateral (
      select r.status, r.events from webhook_subscription_revisions r
      where r.organization_id = s.organization_id and r.subscription_id = s.id and r.valid_from <= e.recorded_at
      order by r.revision desc limit 1) then_was
    where not e.is_simulation
      and then_was.status <> 'deleted' and e.event_type = any (then_was.events)
      and not e.resource @> jsonb_build_array(jsonb_build_object('webhook_id', s.id))
      and not exists (
        select from webhook_deliveries d where d.organization_id = e.organization_id and d.event_id = e.event_id
          and d.subscription_id = s.id and d.origin = 'event')
      and not exists (
        select from webhook_subscription_revisions r
        where r.organization_id = s.organization_id and r.subscription_id = s.id
          and abs(extract(epoch from r.valid_from - e.recorded_at)) <= ${scope.concurrent_s}::int)`
}

/** Deliveries of an event that is not there, or of a type that their subscription never listed. */
export function inventedDeliveries(scope: InspectionScope): Sql {
  return sql`
    select d.id from ${recent('webhook_deliveries', scope)} d
    where d.origin = 'event' and (
      not exists (
        select from events e where e.organization_id = d.organization_id and e.event_id = d.event_id
          and e.event_type = d.event_type)
      or not exists (
        select from webhook_subscription_revisions r where r.organization_id = d.organization_id
          and r.subscription_id = d.subscription_id and d.event_type = any (r.events)))`
}

/** Due for over a minute, although nothing of the same subscription is under way. */
export function neglectedDeliveries(): Sql {
  return sql`
    select due.id from webhook_lanes l
    join webhook_subscriptions s on s.id = l.subscription_id and s.status = 'active'
    cross join lateral (
      select d.id from webhook_deliveries d
      where d.subscription_id = l.subscription_id and d.status = 'pending' and d.event_type = any (s.events)
        and d.next_attempt_at < app_now() - interval '60 seconds'
      limit 1) due
    where not exists (
      select from webhook_deliveries f where f.subscription_id = l.subscription_id and f.status = 'sending')`
}

export function overdueLeases(): Sql {
  return sql`
    select d.id from webhook_deliveries d
    where d.status = 'sending' and d.lease_expires_at < app_now() - interval '20 seconds'`
}

export function unheldDeliveries(): Sql {
  return sql`
    select d.id from webhook_deliveries d
    join webhook_subscriptions s on s.id = d.subscription_id and s.status <> 'active'
    where d.status = 'pending' and greatest(d.updated_at, s.updated_at) < app_now() - interval '30 seconds'`
}

export function forgottenHolds(): Sql {
  return sql`
    select d.id from webhook_deliveries d
    join webhook_subscriptions s on s.id = d.subscription_id and s.status = 'active'
    join webhook_lanes l on l.subscription_id = d.subscription_id
    where d.status = 'held' and d.hold_reason = 'disabled'
      and greatest(d.updated_at, s.updated_at, l.released_at) < app_now() - interval '30 seconds'`
}

/** Deliveries whose status or number their recorded attempts do not account for. */
export function unaccountedDeliveries(scope: InspectionScope): Sql {
  const attempt = (condition: Sql) => sql`exists (
    select from webhook_attempts a where a.organization_id = d.organization_id and a.event_id = d.event_id
      and a.delivery_id = d.id and a.applied and ${condition})`
  return sql`
    select d.id from ${recent('webhook_deliveries', scope)} d
    where (
      (d.status = 'succeeded' and not ${attempt(sql`a.outcome = 'succeeded'`)} and not exists (
        select from webhook_deliveries again where again.organization_id = d.organization_id
          and again.event_id = d.event_id and again.source_delivery_id = d.id and again.status = 'succeeded'))
      or (d.status <> 'succeeded' and ${attempt(sql`a.outcome = 'succeeded'`)})
      or (d.status = 'failed' and not ${attempt(sql`a.outcome = 'failed' and a.decision = 'exhausted'`)})
      or (d.status in ('pending', 'sending') and d.attempt_no > 0 and not ${attempt(sql`a.outcome = 'failed'
        and a.series = d.series and a.attempt_no = d.attempt_no - 1`)}))`
}
