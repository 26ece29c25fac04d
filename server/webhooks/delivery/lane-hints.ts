import { type Candidate, FairShare, organizationOf } from './fair-share.ts'
import { type Head, Lane, type LaneClass, type LaneFacts } from './lane.ts'

/** What one claim is to ask of one lane. */
export interface LaneWish {
  subscription_id: string
  /** Most deliveries to take. */
  want: number
  /** Attempt numbers that have due deliveries, and from where on. */
  heads: Head[]
  seen: number
}

export interface SlotRules {
  /** Attempts that run at once in this process. */
  concurrency: number
  /** Attempts of one subscription that run at once over all processes. */
  in_flight_max: number
}

type ByClass<Value> = Record<LaneClass, Value>

/** Of all slots: what slow lanes use together at most … */
const slow_share = 0.25
/** … and what they are sure of while something of theirs is due. */
const slow_sure_share = 0.05
/** Lanes whose facts are kept while nothing is known to wait there. */
const facts_kept = 10_000

/**
 * What this process believes about due deliveries, and who is to have its slots. Memory is a hint, the rows are the
 * truth: a head too early costs an empty claim, a head missing waits for the next sweep.
 */
export class LaneHints {
  readonly #slots: number
  readonly #slow_max: number
  readonly #slow_sure: number
  /** Also what one lane may have of this process: any lane can turn out to be slow. */
  readonly #lane_max: number
  readonly #lanes = new Map<string, Lane>()
  readonly #facts = new Map<string, LaneFacts>()
  readonly #shares: ByClass<FairShare> = { quick: new FairShare(), slow: new FairShare() }

  constructor({ concurrency, in_flight_max }: SlotRules) {
    this.#slots = concurrency
    this.#slow_max = Math.max(1, Math.floor(concurrency * slow_share))
    this.#slow_sure = Math.max(1, Math.floor(concurrency * slow_sure_share))
    this.#lane_max = Math.min(in_flight_max, this.#slow_max)
  }

  learn(subscription_id: string, attempt_no: number, due_at_ms: number): void {
    this.#lane(subscription_id).learn(attempt_no, due_at_ms)
  }

  /** Takes over what is stored of a lane. */
  know(subscription_id: string, facts: LaneFacts): void {
    this.#facts.delete(subscription_id)
    this.#facts.set(subscription_id, facts)
    const lane = this.#lanes.get(subscription_id)
    if (lane) lane.facts = facts
    for (const oldest of this.#facts.keys()) {
      if (this.#facts.size <= facts_kept) break
      this.#facts.delete(oldest)
    }
  }

  /** Lanes with due deliveries and room, whoever had least first, for at most `free` deliveries together. */
  choose(now_ms: number, free: number): LaneWish[] {
    const due = this.#dueLanes(now_ms)
    const { rooms, held } = this.#rooms(due, free)
    const quick = this.#shares.quick.divide(due.quick, rooms.quick, this.#slots, held.quick)
    const left = free - quick.reduce((sum, { room }) => sum + room, 0)
    const slow = this.#shares.slow.divide(due.slow, Math.min(rooms.slow, left), this.#slow_max, held.slow)
    return [...quick, ...slow].map(({ lane, room }) => {
      lane.ask()
      const { subscription_id, learnt } = lane
      return { subscription_id, want: room, heads: lane.dueHeads(now_ms, this.#lane_max), seen: learnt }
    })
  }

  /** Nothing is left due of these attempt numbers. */
  exhausted({ subscription_id, seen }: LaneWish, attempt_nos: readonly number[]): void {
    const lane = this.#lane(subscription_id)
    if (lane.learnt === seen) lane.forget(attempt_nos)
    this.#forgetIdle(lane)
  }

  /** Of these attempt numbers everything up to there was taken. */
  claimed({ subscription_id }: LaneWish, upTo: readonly Head[]): void {
    for (const head of upTo) this.#lane(subscription_id).claimed(head)
  }

  /** The lane is locked, or its room is taken by other processes. */
  rest({ subscription_id }: LaneWish): void {
    this.#lane(subscription_id).rest()
  }

  /** Answers the class under which the attempt goes. */
  started({ subscription_id, id }: { subscription_id: string; id: string }): LaneClass {
    const lane = this.#lane(subscription_id)
    const lane_class = lane.classAt(performance.now())
    lane.start(id)
    this.#shares[lane_class].begin(lane)
    return lane_class
  }

  /** The attempt is over; its slot is free, its lane's room only when it is recorded. */
  ended({ subscription_id, id }: { subscription_id: string; id: string }): void {
    const lane = this.#lane(subscription_id)
    const lane_class = lane.classAt(performance.now())
    this.#shares[lane_class].end(lane, lane.end(id))
  }

  recorded(subscription_id: string): void {
    const lane = this.#lane(subscription_id)
    lane.unrecorded -= 1
    lane.rests_until_ms = 0
    this.#forgetIdle(lane)
  }

  /** Milliseconds until a claim can be of use; infinite when nothing is known to wait for. */
  waitMs(now_ms: number, free: number): number {
    if (free <= 0) return Number.POSITIVE_INFINITY
    if (free > this.#slow_sure && this.#hasQuickDue(now_ms)) return 0
    const monotonic_ms = performance.now()
    const { rooms } = this.#rooms(this.#dueLanes(now_ms), free)
    let wait_ms = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values()) {
      if (rooms[lane.classAt(monotonic_ms)] <= 0) continue
      const rests_ms = lane.rests_until_ms - monotonic_ms
      wait_ms = Math.min(wait_ms, Math.max(lane.nextDue(this.#lane_max) - now_ms, rests_ms, 0))
    }
    return wait_ms
  }

  /** Whether due deliveries of quick lanes wait for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number): boolean {
    const monotonic_ms = performance.now()
    for (const lane of this.#lanes.values())
      if (lane.isHeldBack(now_ms, this.#lane_max) && lane.classAt(monotonic_ms) === 'quick') return true
    return false
  }

  classOf(subscription_id: string): LaneClass {
    return this.#lanes.get(subscription_id)?.classAt(performance.now()) ?? 'quick'
  }

  /** Attempts under way and lanes with something to do, by class. */
  counts(): ByClass<{ running: number; lanes: number }> {
    const counts = { quick: { running: 0, lanes: 0 }, slow: { running: 0, lanes: 0 } }
    for (const lane of this.#lanes.values()) {
      const count = counts[lane.classAt(performance.now())]
      count.running += lane.running
      count.lanes += 1
    }
    return counts
  }

  /** The usual case under load, found without looking at every lane. */
  #hasQuickDue(now_ms: number): boolean {
    const monotonic_ms = performance.now()
    for (const lane of this.#lanes.values())
      if (lane.rests_until_ms <= monotonic_ms && lane.dueRoom(now_ms, this.#lane_max) > 0)
        if (lane.classAt(monotonic_ms) === 'quick') return true
    return false
  }

  #dueLanes(now_ms: number): ByClass<Candidate[]> {
    const due: ByClass<Candidate[]> = { quick: [], slow: [] }
    const monotonic_ms = performance.now()
    for (const lane of this.#lanes.values()) {
      if (lane.rests_until_ms > monotonic_ms) continue
      const room = lane.dueRoom(now_ms, this.#lane_max)
      if (room > 0) due[lane.classAt(monotonic_ms)].push({ lane, room })
    }
    return due
  }

  /** What each class may take of the free slots, and what organizations hold in it already. */
  #rooms(due: ByClass<Candidate[]>, free: number) {
    const held: ByClass<Map<string, number>> = { quick: new Map(), slow: new Map() }
    let slow = 0
    const monotonic_ms = performance.now()
    for (const lane of this.#lanes.values()) {
      if (lane.running === 0) continue
      const lane_class = lane.classAt(monotonic_ms)
      if (lane_class === 'slow') slow += lane.running
      const organization_id = organizationOf(lane)
      held[lane_class].set(organization_id, (held[lane_class].get(organization_id) ?? 0) + lane.running)
    }
    const reserved = due.slow.length > 0 ? Math.max(0, this.#slow_sure - slow) : 0
    const rooms = { quick: Math.max(0, free - reserved), slow: Math.min(free, Math.max(0, this.#slow_max - slow)) }
    return { rooms, held }
  }

  #lane(subscription_id: string): Lane {
    let lane = this.#lanes.get(subscription_id)
    if (!lane) {
      lane = new Lane(subscription_id, this.#facts.get(subscription_id))
      this.#lanes.set(subscription_id, lane)
    }
    return lane
  }

  #forgetIdle(lane: Lane): void {
    if (lane.isIdle) this.#lanes.delete(lane.subscription_id)
  }
}
