import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface RecordedEventRow {
  event_id: string
  event_type: string
  occurred_at: string
  recorded_at: string
  is_simulation: boolean
  trace_id: string | null
  request_id: string | null
  entries: Record<string, unknown>[]
}

export function findRecordedEvent(
  tx: Transaction,
  organization_id: string,
  event_id: string,
): Promise<RecordedEventRow | undefined> {
  return tx.row<RecordedEventRow>(sql`
    select event_id, event_type, occurred_at, recorded_at, is_simulation, trace_id, request_id, resource as entries
    from events where organization_id = ${organization_id} and event_id = ${event_id}`)
}

/** A subscription now, and what it was when the event was recorded: nulls if it was not there yet. */
export interface WitnessRow {
  webhook_id: string
  name: string | null
  url: string
  status: 'active' | 'disabled' | 'deleted'
  has_delivery: boolean
  status_then: 'active' | 'disabled' | 'deleted' | null
  listed_then: boolean | null
}

/** Those with deliveries first, then the newest; deleted ones are among them. */
export function subscriptionsAt(
  tx: Transaction,
  organization_id: string,
  { event_id, event_type, recorded_at }: Pick<RecordedEventRow, 'event_id' | 'event_type' | 'recorded_at'>,
  rows_max: number,
): Promise<WitnessRow[]> {
  return tx.rows<WitnessRow>(sql`
    select s.id as webhook_id, s.name, s.url, s.status, coalesce(d.has_delivery, false) as has_delivery,
      r.status as status_then, ${event_type} = any (r.events) as listed_then
    from webhook_subscriptions s
    left join lateral (
      select r.status, r.events from webhook_subscription_revisions r
      where r.organization_id = s.organization_id and r.subscription_id = s.id and r.valid_from <= ${recorded_at}
      order by r.revision desc limit 1) r on true
    left join (
      select distinct subscription_id, true as has_delivery from webhook_deliveries
      where organization_id = ${organization_id} and event_id = ${event_id}) d on d.subscription_id = s.id
    where s.organization_id = ${organization_id}
    order by has_delivery desc, s.id desc limit ${rows_max}`)
}
