/** How long a lane is left alone that was locked, or whose attempts run in other processes. */
export const rest_ms = 10

/** What one claim is to ask of one lane. */
export interface LaneWish {
  subscription_id: string
  /** Most deliveries to take. */
  want: number
  /** Attempt numbers that have due deliveries. */
  attempt_nos: number[]
  seen: number
}

interface Lane {
  /** Earliest known due time by attempt number, engine milliseconds. */
  heads: Map<number, number>
  /** Attempts of this process whose result is not recorded yet. */
  running: number
  /** Not asked before this time of `performance.now()`: the lane was busy elsewhere. */
  rests_until_ms: number
  /** Counts what was learnt, so that a claim under way does not erase what came in meanwhile. */
  learnt: number
}

/**
 * What this process believes about due deliveries. Memory is a hint, the rows are the truth: a head too early costs an
 * empty claim, a head missing waits for the next sweep.
 */
export class LaneHints {
  readonly #in_flight_max: number
  readonly #lanes = new Map<string, Lane>()

  constructor(in_flight_max: number) {
    this.#in_flight_max = in_flight_max
  }

  learn(subscription_id: string, attempt_no: number, due_at_ms: number): void {
    const lane = this.#lane(subscription_id)
    lane.learnt += 1
    lane.heads.set(attempt_no, Math.min(lane.heads.get(attempt_no) ?? due_at_ms, due_at_ms))
  }

  /** Lanes with due deliveries and room, each in its turn, for at most `slots` deliveries together. */
  choose(now_ms: number, slots: number): LaneWish[] {
    const wishes: LaneWish[] = []
    const awake_at_ms = performance.now()
    let left = slots
    for (const [subscription_id, lane] of this.#lanes) {
      if (left <= 0) break
      const want = Math.min(this.#in_flight_max - lane.running, left)
      if (want <= 0 || lane.rests_until_ms > awake_at_ms) continue
      const attempt_nos = [...lane.heads]
        .filter(([, due_at_ms]) => due_at_ms <= now_ms)
        .map(([attempt_no]) => attempt_no)
      if (attempt_nos.length === 0) continue
      wishes.push({ subscription_id, want, attempt_nos, seen: lane.learnt })
      left -= want
    }
    // Behind the others now, so that every lane has its turn.
    for (const { subscription_id } of wishes) {
      const lane = this.#lane(subscription_id)
      this.#lanes.delete(subscription_id)
      this.#lanes.set(subscription_id, lane)
    }
    return wishes
  }

  /** Everything that was due was taken, or there was nothing to take. */
  exhausted({ subscription_id, attempt_nos, seen }: LaneWish): void {
    const lane = this.#lane(subscription_id)
    if (lane.learnt === seen) for (const attempt_no of attempt_nos) lane.heads.delete(attempt_no)
    this.#forgetIdle(subscription_id, lane)
  }

  /** The lane is locked, or its attempts run in other processes. */
  rest({ subscription_id }: LaneWish): void {
    this.#lane(subscription_id).rests_until_ms = performance.now() + rest_ms
  }

  started(subscription_id: string): void {
    this.#lane(subscription_id).running += 1
  }

  recorded(subscription_id: string): void {
    const lane = this.#lane(subscription_id)
    lane.running -= 1
    lane.rests_until_ms = 0
    this.#forgetIdle(subscription_id, lane)
  }

  /** Milliseconds until a claim can be of use; infinite when nothing is known to wait for. */
  waitMs(now_ms: number): number {
    const awake_at_ms = performance.now()
    let wait_ms = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values()) {
      if (lane.running >= this.#in_flight_max || lane.heads.size === 0) continue
      const due_in_ms = Math.min(...lane.heads.values()) - now_ms
      wait_ms = Math.min(wait_ms, Math.max(due_in_ms, lane.rests_until_ms - awake_at_ms, 0))
      if (wait_ms === 0) break
    }
    return wait_ms
  }

  /** Whether due deliveries wait for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number): boolean {
    for (const lane of this.#lanes.values()) {
      if (lane.running >= this.#in_flight_max && Math.min(...lane.heads.values()) <= now_ms) return true
    }
    return false
  }

  #lane(subscription_id: string): Lane {
    let lane = this.#lanes.get(subscription_id)
    if (!lane) {
      lane = { heads: new Map(), running: 0, rests_until_ms: 0, learnt: 0 }
      this.#lanes.set(subscription_id, lane)
    }
    return lane
  }

  #forgetIdle(subscription_id: string, lane: Lane): void {
    if (lane.heads.size === 0 && lane.running === 0) this.#lanes.delete(subscription_id)
  }
}
