import type { Database, Transaction } from '#db/database.ts'
import { releasedDeliveries } from '../metrics/engine-metrics.ts'
import { moveReplays, type ReplayerParts } from '../replays/replayer.ts'
import { expireHeld, lanesToExpire } from '../retention/expire.store.ts'
import { expiredDeliveries } from '../retention/metrics.ts'
import { clampWaits, overlongWaits } from './clamp.store.ts'
import {
  cancelUnlisted,
  cancelUnsent,
  clearUnlisted,
  discardHeld,
  holdPending,
  lanesToRelease,
  lanesWithUnlisted,
  lockLaneToMove,
  type MovingLane,
  moved_rows_max,
  releaseHeld,
} from './move.store.ts'
import { createReaper, type ReaperParts } from './reap.ts'

export interface MoverParts extends ReaperParts, ReplayerParts {
  database: Database
  /** Deliveries released per second and lane. */
  release_rate: number
  /** Days after which a held delivery expires. */
  retention_days: number
}

/** Lanes that one pass looks at; the next pass takes the rest. */
const lanes_per_pass_max = 500
/** A lane with more is continued in the next pass. */
const batches_per_lane_max = 100
/** Releasing pauses while this many deliveries of the lane are due. */
const due_while_releasing_max = 200

/**
 * Standing rules that bring deliveries into line with the status of their subscription, as rows show it and not as one
 * action left it: what a transaction wrote that still saw the old status is caught too. Lanes that somebody works on are
 * left for the next pass. Each answers how many deliveries it moved.
 */
export function createMovers(parts: MoverParts) {
  const engine = { role: 'engine' } as const
  const find = <Found>(read: (tx: Transaction, lanes_max: number) => Promise<Found[]>) =>
    parts.database.transaction({ ...engine, read_only: true }, (tx) => read(tx, lanes_per_pass_max))
  const onEach = async (
    subscription_ids: readonly string[],
    work: (tx: Transaction, lane: MovingLane) => Promise<number>,
  ): Promise<number> => {
    let moved = 0
    for (const subscription_id of subscription_ids) {
      for (let batches = 0; batches < batches_per_lane_max; batches += 1) {
        const rows = await parts.database.transaction(engine, async (tx) => {
          const lane = await lockLaneToMove(tx, subscription_id)
          return lane ? work(tx, lane) : 0
        })
        moved += rows
        if (rows < moved_rows_max) break
      }
    }
    return moved
  }

  return {
    /** Pending deliveries of lanes that are not active, which the sweep came across. */
    hold: (subscription_ids: readonly string[]) => onEach(subscription_ids, hold),
    /** Held deliveries of lanes that are not disabled any more. */
    release: async () => onEach(await find(lanesToRelease), (tx, lane) => release(tx, lane, parts)),
    /** Deliveries of event types that were taken away. */
    cancelUnlisted: async () => onEach(await find(lanesWithUnlisted), narrow),
    /** Deliveries that replay jobs send again. */
    replay: () => moveReplays(parts),
    /** Held deliveries that are older than the retention. */
    async expire(): Promise<number> {
      const { retention_days } = parts
      const lanes = await find((tx, lanes_max) => lanesToExpire(tx, retention_days, lanes_max))
      const expired = await onEach(lanes, (tx, lane) => expireHeld(tx, lane, retention_days))
      expiredDeliveries.inc(expired)
      return expired
    },
    /** Deliveries whose worker was lost: the same attempt again. */
    reap: createReaper(parts),
    /** Deliveries that wait longer than their position allows, because the database's clock was put back. */
    async clamp(): Promise<number> {
      const waits = await find(overlongWaits)
      const attempt_nos = Map.groupBy(waits, ({ subscription_id }) => subscription_id)
      return onEach([...attempt_nos.keys()], (tx, lane) =>
        clampWaits(tx, lane, attempt_nos.get(lane.subscription_id)?.map(({ attempt_no }) => attempt_no) ?? []),
      )
    },
  }
}

function hold(tx: Transaction, lane: MovingLane): Promise<number> {
  if (lane.status === 'active') return Promise.resolve(0)
  return lane.status === 'disabled' ? holdPending(tx, lane) : cancelUnsent(tx, lane)
}

async function release(tx: Transaction, lane: MovingLane, { schedules, release_rate }: MoverParts): Promise<number> {
  if (lane.status === 'disabled') return 0
  if (lane.status === 'deleted') return cancelUnsent(tx, lane)
  const discarded = await discardHeld(tx, lane)
  // The next batch goes on discarding.
  if (discarded === moved_rows_max) return discarded
  const schedule_id = await schedules.current(tx)
  const rules = { rate: release_rate, due_max: due_while_releasing_max, schedule_id }
  const released = await releaseHeld(tx, lane, rules)
  tx.afterCommit(() => releasedDeliveries.inc(released))
  return discarded + released
}

async function narrow(tx: Transaction, lane: MovingLane): Promise<number> {
  const moved = await cancelUnlisted(tx, lane)
  if (moved === 0) await clearUnlisted(tx, lane)
  return moved
}
