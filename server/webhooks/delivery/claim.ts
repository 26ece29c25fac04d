import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/database.ts'
import type { Claim } from './attempt.ts'
import {
  type ClaimedRow,
  cancelLeased,
  type HeadClaim,
  type LaneRow,
  type Lease,
  leaseDue,
  readLanes,
} from './claim.store.ts'
import { lockLanes } from './history.store.ts'
import type { Head } from './lane.ts'
import type { LaneWish } from './lane-hints.ts'
import { initialLimit } from './pace.ts'

/** What one lane answered to a wish. */
export interface LaneOutcome {
  wish: LaneWish
  /** Locked, or its room is taken by attempts of other processes. */
  is_busy: boolean
  /** Attempt numbers of which nothing is left due. */
  exhausted: number[]
  /** Of the others: the last that was taken. */
  claimed: Head[]
}

export interface Claimed {
  claims: Claim[]
  outcomes: LaneOutcome[]
  /** The lanes looked at, as they are. */
  lanes: LaneRow[]
}

export interface ClaimParts {
  in_flight_max: number
  worker: string
}

type TakenRow = Pick<ClaimedRow, 'subscription_id' | 'attempt_no' | 'next_attempt_at' | 'id'>

/** Leases due deliveries of the wished lanes, never more at once than the cap of each lane over all processes. */
export async function claimDue(tx: Transaction, wishes: readonly LaneWish[], parts: ClaimParts): Promise<Claimed> {
  const wished = wishes.map(({ subscription_id }) => subscription_id)
  // Two statements, one behind the other: counting running attempts in the same one would use a snapshot older than the
  // lock, and two workers could together exceed the cap.
  const [locked, read] = await Promise.all([lockLanes(tx, wished, 'skip'), readLanes(tx, wished)])
  const rows = read.filter(({ subscription_id }) => locked.has(subscription_id))
  const lanes = new Map(rows.map((lane) => [lane.subscription_id, lane]))
  const asked = wishes.flatMap((wish) => headsOf(wish, lanes.get(wish.subscription_id), parts.in_flight_max))
  const lease = { token: randomUUID(), owner: parts.worker }
  const leased = asked.length > 0 ? await leaseDue(tx, asked, lease) : []
  const outcomes = outcomesOf(wishes, lanes, asked, leased)
  const { claims, unlisted } = asClaims(leased, lanes, lease.token)
  // Written by a transaction that still saw the type in the list of the subscription (interface specification 6.1).
  if (unlisted.length > 0) await cancelLeased(tx, unlisted)
  return { claims, outcomes, lanes: rows }
}

/** Initial attempts go by the adaptive limit of the lane, re-attempts by the cap alone (webhooks.md 8.2). */
function headsOf(wish: LaneWish, lane: LaneRow | undefined, cap: number): HeadClaim[] {
  if (lane?.status !== 'active') return []
  const { subscription_id, want, heads } = wish
  return heads
    .map((head) => {
      const limit = head.attempt_no === 0 ? initialLimit(lane, cap) : cap
      return { ...head, subscription_id, room: Math.min(want, limit - lane.running) }
    })
    .filter(({ room }) => room > 0)
}

function asClaims(leased: readonly ClaimedRow[], lanes: ReadonlyMap<string, LaneRow>, lease_token: string) {
  const hosts = new Map([...lanes.values()].map(({ subscription_id, url }) => [subscription_id, URL.parse(url)?.host]))
  const claims: Claim[] = []
  const unlisted: Lease[] = []
  for (const row of leased) {
    const lane = lanes.get(row.subscription_id)
    if (!lane) throw new Error('a delivery was leased whose lane is not locked')
    if (!lane.events.includes(row.event_type)) unlisted.push({ ...row, lease_token })
    else
      claims.push(Object.assign(row, { lease_token, lane, url: lane.url, host: hosts.get(row.subscription_id) ?? '' }))
  }
  return { claims, unlisted }
}

function outcomesOf(
  wishes: readonly LaneWish[],
  lanes: ReadonlyMap<string, LaneRow>,
  asked: readonly HeadClaim[],
  leased: readonly TakenRow[],
): LaneOutcome[] {
  const heads = Map.groupBy(asked, ({ subscription_id }) => subscription_id)
  const taken = Map.groupBy(leased, ({ subscription_id }) => subscription_id)
  return wishes.map((wish) => {
    const lane = lanes.get(wish.subscription_id)
    // Disabled or deleted: what is due there is the holder's, not ours.
    if (lane && lane.status !== 'active') {
      return { wish, is_busy: false, exhausted: wish.heads.map(({ attempt_no }) => attempt_no), claimed: [] }
    }
    const own = heads.get(wish.subscription_id) ?? []
    const rows = taken.get(wish.subscription_id) ?? []
    const exhausted = exhaustedOf(own, rows)
    return { wish, is_busy: own.length === 0, exhausted, claimed: lastOf(rows, exhausted) }
  })
}

/** Attempt numbers that left room over; those further in their series were taken before them. */
function exhaustedOf(heads: readonly HeadClaim[], taken: readonly TakenRow[]): number[] {
  return heads
    .filter(({ attempt_no, room }) => taken.filter((row) => row.attempt_no >= attempt_no).length < room)
    .map(({ attempt_no }) => attempt_no)
}

function lastOf(taken: readonly TakenRow[], exhausted: readonly number[]): Head[] {
  // In the order of due time and id within an attempt number: the later entry stands.
  const last = new Map(taken.map((row) => [row.attempt_no, row]))
  return [...last.values()]
    .filter(({ attempt_no }) => !exhausted.includes(attempt_no))
    .map(({ attempt_no, next_attempt_at, id }) => ({ attempt_no, due_at_ms: Date.parse(next_attempt_at), id }))
}
