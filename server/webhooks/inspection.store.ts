import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

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
export const look_ms_max = 300_000

/** Rows of the given time, organization by organization: every index on them begins with that. */
const recent = (table: 'events' | 'all_webhook_deliveries', { hours, rows_max }: InspectionScope) => sql`
  (select distinct organization_id from webhook_subscriptions) o cross join lateral (
    select * from ${raw(table)} newest
    where newest.organization_id = o.organization_id
      and newest.event_id >= first_id_at(app_now() - ${`${hours} hours`}::interval)
    order by newest.event_id desc limit ${rows_max})`

/** True when an attempt of delivery `d` was recorded, and counted, that meets the condition. */
const attempt = (condition: Sql) => sql`exists (
  select from webhook_attempts a where a.organization_id = d.organization_id and a.event_id = d.event_id
    and a.delivery_id = d.id and a.applied and ${condition})`

/** The promises of the engine as questions to its rows: each finds what breaks it, by its `id`. */
export const invariants = {
  // Judges by the revision that the subscription had when the event was recorded.
  every_match_has_a_delivery: {
    words: 'every event has a delivery for each subscription that listed its type',
    broken: (scope) => sql`
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
          select from all_webhook_deliveries d where d.organization_id = e.organization_id and d.event_id = e.event_id
            and d.subscription_id = s.id and d.origin = 'event')
        and not exists (
          select from webhook_subscription_revisions r
          where r.organization_id = s.organization_id and r.subscription_id = s.id
            and abs(extract(epoch from r.valid_from - e.recorded_at)) <= ${scope.concurrent_s}::int)`,
  },
  every_delivery_has_an_event: {
    words: 'every delivery belongs to an event that its subscription listed',
    broken: (scope) => sql`
      select d.id from ${recent('all_webhook_deliveries', scope)} d
      where d.origin = 'event' and (
        not exists (
          select from events e where e.organization_id = d.organization_id and e.event_id = d.event_id
            and e.event_type = d.event_type)
        or not exists (
          select from webhook_subscription_revisions r where r.organization_id = d.organization_id
            and r.subscription_id = d.subscription_id and d.event_type = any (r.events)))`,
  },
  due_is_sent: {
    words: 'nothing that is due waits over a minute beside idle workers',
    broken: () => sql`
      select due.id from webhook_lanes l
      join webhook_subscriptions s on s.id = l.subscription_id and s.status = 'active'
      cross join lateral (
        select d.id from webhook_open_deliveries d
        where d.subscription_id = l.subscription_id and d.status = 'pending' and d.event_type = any (s.events)
          and d.next_attempt_at < app_now() - interval '60 seconds'
        limit 1) due
      where not exists (
        select from webhook_open_deliveries f where f.subscription_id = l.subscription_id and f.status = 'sending')`,
  },
  leases_end: {
    words: 'no delivery is being sent beyond its lease',
    broken: () => sql`
      select d.id from webhook_open_deliveries d
      where d.status = 'sending' and d.lease_expires_at < app_now() - interval '20 seconds'`,
  },
  stopped_is_held: {
    words: 'nothing of a disabled or deleted subscription waits to be sent',
    broken: () => sql`
      select d.id from webhook_open_deliveries d
      join webhook_subscriptions s on s.id = d.subscription_id and s.status <> 'active'
      where d.status = 'pending' and greatest(d.updated_at, s.updated_at) < app_now() - interval '30 seconds'`,
  },
  enabled_is_released: {
    words: 'nothing of an active subscription stays held',
    broken: () => sql`
      select d.id from webhook_open_deliveries d
      join webhook_subscriptions s on s.id = d.subscription_id and s.status = 'active'
      join webhook_lanes l on l.subscription_id = d.subscription_id
      where d.status = 'held' and d.hold_reason = 'disabled'
        and greatest(d.updated_at, s.updated_at, l.released_at) < app_now() - interval '30 seconds'`,
  },
  attempts_account: {
    words: 'the attempts on record account for the status and number of their delivery',
    broken: (scope) => sql`
      select d.id from ${recent('all_webhook_deliveries', scope)} d
      where (
        (d.status = 'succeeded' and not ${attempt(sql`a.outcome = 'succeeded'`)} and not exists (
          select from all_webhook_deliveries again where again.organization_id = d.organization_id
            and again.event_id = d.event_id and again.source_delivery_id = d.id and again.status = 'succeeded'))
        or (d.status <> 'succeeded' and ${attempt(sql`a.outcome = 'succeeded'`)})
        or (d.status = 'failed' and not ${attempt(sql`a.outcome = 'failed' and a.decision = 'exhausted'`)})
        or (d.status in ('pending', 'sending') and d.attempt_no > 0 and not ${attempt(sql`a.outcome = 'failed'
          and a.series = d.series and a.attempt_no = d.attempt_no - 1`)}))`,
  },
} satisfies Record<string, { words: string; broken(scope: InspectionScope): Sql }>

export type Invariant = keyof typeof invariants

/** Looks for the rows that break one promise. */
export async function violationsOf(tx: Transaction, invariant: Invariant, scope: InspectionScope): Promise<Violations> {
  await tx.run(sql`select set_config('statement_timeout', ${String(look_ms_max)}, true)`)
  const row = await tx.row<Violations>(sql`
    select count(*)::int as count, coalesce((array_agg(id::text))[1:${examples_max}], '{}') as examples
    from (select id from (${invariants[invariant].broken(scope)}) broken limit ${counted_max}) counted`)
  return row ?? { count: 0, examples: [] }
}

type HeldDelivery = Record<'organization_id' | 'event_id' | 'subscription_id', string> & { hold_reason: string | null }

/** A delivery by its id alone, of any organization. */
export function findHeld(tx: Transaction, id: string): Promise<HeldDelivery | undefined> {
  return tx.row<HeldDelivery>(sql`
    select organization_id, event_id, subscription_id, hold_reason from webhook_open_deliveries
    where id = ${id} and status = 'held'`)
}

/** Locked in the engine's order: the queue first. Answers whether it was still held for faults of our own. */
export async function releaseInternal(tx: Transaction, { subscription_id, event_id }: HeldDelivery, id: string) {
  await tx.run(sql`select from webhook_lanes where subscription_id = ${subscription_id} for update`)
  const released = await tx.run(sql`
    update webhook_open_deliveries
    set status = 'pending', hold_reason = null, faults = 0, next_attempt_at = app_now(), updated_at = app_now()
    where event_id = ${event_id} and id = ${id} and status = 'held' and hold_reason = 'internal'`)
  return released > 0
}
