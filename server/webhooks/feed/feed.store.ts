import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import type { RecordedEvent } from '../history/history.store.ts'

/** The place where reading goes on. Places are decimal numbers of up to 19 digits, hence texts. */
export interface FeedPosition {
  /** Everything up to here has been read. */
  feed_seq: string
  /** Up to here it is known how many events of the same types are left after `feed_seq`: `left`. */
  counted_to: string
  left: number
}

export type FeedStart = 'oldest' | 'latest'

/** A choice of events; without any of these, all of the organization. */
export interface FeedFilter {
  event_types: readonly string[] | undefined
  /** Found in any entry of the event. */
  resource_id: string | undefined
}

interface FeedEventRow
  extends Pick<RecordedEvent, 'event_id' | 'event_type' | 'occurred_at' | 'is_simulation' | 'entries'> {
  feed_seq: string
}

const columns = sql`e.feed_seq, e.event_id, e.event_type, e.occurred_at, e.is_simulation, e.resource as entries`

/**
 * Reads a page of the feed, its bounds and what is left in one statement, hence in one snapshot. Only what was recorded
 * since the last page is counted, so that walking over n events counts n and not n² of them.
 */
export async function readFeed(
  tx: Transaction,
  organization_id: string,
  from: FeedPosition | FeedStart,
  { rows_max, ...filter }: FeedFilter & { rows_max: number },
) {
  const known = typeof from === 'object' ? from : null
  const position = known ? sql`${known.feed_seq}::bigint` : raw(from === 'latest' ? 'head.feed_seq' : 'floor.feed_seq')
  const of_types = filter.event_types ? sql`and e.event_type = any (${filter.event_types})` : raw('')
  type Row = { head: string; is_expired: boolean; counted: number } & {
    [Key in keyof FeedEventRow]: FeedEventRow[Key] | null
  }
  const found = await tx.rows<Row>(sql`
    with bounds as materialized (
      select head.feed_seq as head, floor.feed_seq as floor, ${position} as position
      from event_feed_head head cross join event_feed_floor floor
    )
    select b.head, b.position not between b.floor and b.head as is_expired, news.counted, page.*
    from bounds b
    cross join lateral (
      select count(*)::int as counted from events e
      where e.organization_id = ${organization_id} and e.feed_seq <= b.head
        and e.feed_seq > ${known ? sql`${known.counted_to}::bigint` : raw('b.position')} ${of_types} ${aboutOf(organization_id, filter)}) news
    left join lateral (${pageOf(organization_id, filter, rows_max)}) page on true
    order by page.feed_seq`)
  const [first] = found
  if (!first) throw new Error('the feed has no bounds')
  return {
    /** The highest number given so far, in the snapshot of the page. */
    head: first.head,
    /** Retention has removed events after the given position, or it is of a later state that a restore undid. */
    is_expired: first.is_expired,
    /** Events after the position. */
    left: (known?.left ?? 0) + first.counted,
    // One more than asked for where there are more. The cast holds because only the row of an empty page has nulls.
    rows: found.filter(({ feed_seq }) => feed_seq !== null) as unknown as FeedEventRow[],
  }
}

/** With types, each is read from its own index in order, so that a rare one does not cost a walk over all the others. */
function pageOf(organization_id: string, filter: FeedFilter, rows_max: number): Sql {
  const { event_types } = filter
  const after = sql`e.organization_id = ${organization_id} and e.feed_seq > b.position ${aboutOf(organization_id, filter)}`
  if (!event_types) return sql`select ${columns} from events e where ${after} order by e.feed_seq limit ${rows_max}`
  return sql`
    select of_type.* from unnest(${event_types}::text[]) type
    cross join lateral (
      select ${columns} from events e where ${after} and e.event_type = type order by e.feed_seq limit ${rows_max}) of_type
    order by of_type.feed_seq limit ${rows_max}`
}

/** As an array, so that events are looked up by their ids, not walked through. */
const aboutOf = (organization_id: string, { resource_id }: FeedFilter): Sql =>
  resource_id
    ? sql`and e.event_id = any (array(
        select r.event_id from event_resources r
        where r.organization_id = ${organization_id} and r.resource_id = ${resource_id}))`
    : raw('')

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
  { organization_id, event_id, event_type, recorded_at }: RecordedEvent,
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
      select distinct subscription_id, true as has_delivery from all_webhook_deliveries
      where organization_id = ${organization_id} and event_id = ${event_id}) d on d.subscription_id = s.id
    where s.organization_id = ${organization_id}
    order by has_delivery desc, s.id desc limit ${rows_max}`)
}

/** Any number; the same in every process. */
const sequencer_lock = 7_316_413

/** Events numbered in one transaction. */
export const numbered_events_max = 1_000

/**
 * Gives the oldest committed events without a number the next numbers; answers how many, or null while somebody else is at it.
 * The lock is a statement of its own: the next one takes its snapshot after it, so it sees every number given before.
 */
export async function numberEvents(tx: Transaction): Promise<number | null> {
  const lock = await tx.row<{ is_ours: boolean }>(sql`select pg_try_advisory_xact_lock(${sequencer_lock}) as is_ours`)
  if (!lock?.is_ours) return null
  // The limit is written out: a plan for any limit would reckon with a tenth of the table.
  return tx.run(sql`
    with waiting as materialized (
      select organization_id, event_id, row_number() over (order by event_id) as place
      from (
        select organization_id, event_id from events where feed_seq is null and not is_simulation
        order by event_id limit ${raw(String(numbered_events_max))}
      ) oldest
    ), head as (
      update event_feed_head set feed_seq = feed_seq + (select count(*) from waiting)
      where exists (select from waiting)
    )
    update events e set feed_seq = (select feed_seq from event_feed_head) + waiting.place
    from waiting where e.organization_id = waiting.organization_id and e.event_id = waiting.event_id`)
}
