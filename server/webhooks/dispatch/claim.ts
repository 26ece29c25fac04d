import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/database.ts'
import type { Claim } from './attempt.ts'
import {
  cancelLeased,
  type LaneClaim,
  type LaneRow,
  type Lease,
  leaseDue,
  lockFreeLanes,
  readLanes,
} from './claim.store.ts'
import type { LaneWish } from './lane-hints.ts'

/** What one lane answered to a wish. */
export interface LaneOutcome {
  wish: LaneWish
  /** `busy`: locked, or its attempts run elsewhere. `more`: as much as was asked for. `exhausted`: nothing is left due. */
  state: 'busy' | 'more' | 'exhausted'
}

export interface Claimed {
  claims: Claim[]
  outcomes: LaneOutcome[]
}

export interface ClaimParts {
  in_flight_max: number
  worker: string
}

/** Leases due deliveries of the wished lanes, never more at once than the cap of each lane over all processes. */
export async function claimDue(tx: Transaction, wishes: readonly LaneWish[], parts: ClaimParts): Promise<Claimed> {
  const locked = await lockFreeLanes(
    tx,
    wishes.map(({ subscription_id }) => subscription_id),
  )
  const rows = locked.length > 0 ? await readLanes(tx, locked) : []
  const active = rows.filter(({ status }) => status === 'active')
  const lanes = new Map(active.map((lane) => [lane.subscription_id, lane]))
  const hosts = new Map(active.map(({ subscription_id, url }) => [subscription_id, URL.parse(url)?.host ?? '']))
  const asked = wishes.flatMap((wish) => claimOf(wish, lanes.get(wish.subscription_id), parts.in_flight_max))
  const token = randomUUID()
  const leased = asked.length > 0 ? await leaseDue(tx, asked, { token, owner: parts.worker }) : []
  const taken = new Map<string, number>()
  const claims: Claim[] = []
  const unlisted: Lease[] = []
  for (const row of leased) {
    const lane = lanes.get(row.subscription_id)
    if (!lane) throw new Error('a delivery was leased whose lane is not locked')
    taken.set(row.subscription_id, (taken.get(row.subscription_id) ?? 0) + 1)
    if (!lane.events.includes(row.event_type)) unlisted.push({ ...row, lease_token: token })
    else
      claims.push(
        Object.assign(row, { lease_token: token, lane, url: lane.url, host: hosts.get(lane.subscription_id) ?? '' }),
      )
  }
  // Written by a transaction that still saw the type in the list of the subscription (interface specification 6.1).
  if (unlisted.length > 0) await cancelLeased(tx, unlisted)
  const outcomes = wishes.map((wish) => ({ wish, state: stateOf(wish, asked, locked, lanes, taken) }))
  return { claims, outcomes }
}

function claimOf(wish: LaneWish, lane: LaneRow | undefined, in_flight_max: number): LaneClaim[] {
  const room = lane ? Math.min(wish.want, in_flight_max - lane.running) : 0
  return room > 0 ? [{ subscription_id: wish.subscription_id, room, attempt_nos: wish.attempt_nos }] : []
}

function stateOf(
  { subscription_id }: LaneWish,
  asked: readonly LaneClaim[],
  locked: readonly string[],
  lanes: ReadonlyMap<string, LaneRow>,
  taken: ReadonlyMap<string, number>,
): LaneOutcome['state'] {
  if (!locked.includes(subscription_id)) return 'busy'
  // Disabled or deleted: what is due there is the holder's, not ours.
  if (!lanes.has(subscription_id)) return 'exhausted'
  const claim = asked.find((lane) => lane.subscription_id === subscription_id)
  if (!claim) return 'busy'
  return (taken.get(subscription_id) ?? 0) < claim.room ? 'exhausted' : 'more'
}
