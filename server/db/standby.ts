import { type Database, session_settings, sql } from './database.ts'

/** A place in the log of the primary, and a moment by which everything before it was committed. */
interface Position {
  lsn: bigint
  at_ms: number
}

/** Places that are kept: enough for more than a minute of four looks a second. */
const positions_max = 400

/** A server, as both are asked. */
interface Facts {
  is_standby: boolean
  system: string
  timeline: number
  lsn: string | null
}

interface FactsOfStandby extends Facts {
  /** Nobody between took away what a connection asks for. */
  has_settings: boolean
}

/** The moment up to which a standby shows everything, or why it is not to be read, whatever it shows. */
export type Shown = { shown_ms: number } | { fault: string }

/**
 * Finds how far a standby is behind by comparing places in the log, not clocks: what the primary had written when it was
 * asked, the standby shows once it has replayed that place. So the answer is right while nothing is written and while
 * nothing arrives, and the clocks of the machines do not matter.
 */
export function comparedWith(
  { primary, standby }: { primary: Database; standby: Database },
  monotonic_ms: () => number,
): () => Promise<Shown> {
  const positions: Position[] = []
  return async () => {
    const at_ms = monotonic_ms()
    const leader = await primary.row<Facts>(facts_of_primary)
    if (!leader || leader.lsn === null) return { fault: 'the primary is being recovered' }
    positions.push({ lsn: BigInt(leader.lsn), at_ms })
    if (positions.length > positions_max) positions.shift()
    const own = await standby.row<FactsOfStandby>(facts_of_standby)
    if (own && !own.has_settings) return { fault: 'a pooler drops the time zone that its connections ask for' }
    if (!own?.is_standby || own.lsn === null) return { fault: 'it is no standby: it takes changes itself' }
    if (own.system !== leader.system) return { fault: 'it is a standby of another database' }
    if (own.timeline !== leader.timeline)
      return { fault: `it is on timeline ${own.timeline}, the primary on ${leader.timeline} since a failover` }
    const replayed = BigInt(own.lsn)
    const reached = positions.findLastIndex(({ lsn }) => lsn <= replayed)
    // The last place that was reached stays: it says how old the standby is until the next one is.
    if (reached > 0) positions.splice(0, reached)
    return { shown_ms: reached < 0 ? Number.NEGATIVE_INFINITY : (positions[0]?.at_ms ?? at_ms) }
  }
}

/** The place behind the last record, also those that are not on the disk: commits that do not wait for it are seen before. */
const facts_of_primary = sql`
  select is_standby, system_identifier::text as system, pg_wal_lsn_diff(lsn, '0/0')::text as lsn,
    ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int as timeline
  from (select pg_is_in_recovery() as is_standby,
          case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() end as lsn) own, pg_control_system()`

/** Its timeline is that of its last restart point, which follows a failover within minutes: until then nobody knows whom it follows. */
const facts_of_standby = sql`
  select pg_is_in_recovery() as is_standby, system_identifier::text as system, timeline_id as timeline,
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as lsn,
    (current_setting('timezone'), current_setting('intervalstyle'))
      = (${session_settings.timezone}, ${session_settings.intervalstyle}) as has_settings
  from pg_control_system(), pg_control_checkpoint()`
