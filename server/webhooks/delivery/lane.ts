import { failing_from, initialLimit, slow_from_ms } from './pace.ts'

/** Slow lanes share a part of the slots, so that quick ones always find some free (webhooks.md 8.3). */
export type LaneClass = 'quick' | 'slow'

/** What is stored of a lane, as far as its share of the slots depends on it. */
export interface LaneFacts {
  organization_id: string
  consecutive_failures: number
  limit_now: number | null
  mean_ms: number | null
}

/** From where in the order of due time and id deliveries of one attempt number may be due. */
export interface Head {
  attempt_no: number
  /** Engine milliseconds. */
  due_at_ms: number
  /** Of those that are due at that time, none with a lower id. */
  id: string
}

const lowest_id = '00000000-0000-0000-0000-000000000000'

/** How long a lane is left alone that was locked, or whose room other processes have taken; twice as long each time. */
export const rest_first_ms = 10
export const rest_max_ms = 640

/** What this process believes about the deliveries of one subscription, and does for them. */
export class Lane {
  readonly subscription_id: string
  facts: LaneFacts | undefined
  /** Slot time used, in units; only differences between lanes of one organization matter. */
  used = 0
  /** Counts what was learnt, so that a claim under way does not erase what came in meanwhile. */
  learnt = 0
  /** Attempts that have ended and are not recorded yet. */
  unrecorded = 0
  /** Not asked before this time of `performance.now()`. */
  rests_until_ms = 0
  #rests = 0
  readonly #heads = new Map<number, Head>()
  /** Earliest due time that was learnt since the lane was last asked, by attempt number. */
  readonly #late = new Map<number, number>()
  /** Start of the attempts under way by delivery, oldest first, of `performance.now()`. */
  readonly #running = new Map<string, number>()

  constructor(subscription_id: string, facts: LaneFacts | undefined) {
    this.subscription_id = subscription_id
    this.facts = facts
  }

  get isIdle(): boolean {
    return this.#heads.size === 0 && this.taken === 0
  }

  /** Attempts under way. */
  get running(): number {
    return this.#running.size
  }

  /** Attempts under way and those not recorded, which the database still counts. */
  get taken(): number {
    return this.#running.size + this.unrecorded
  }

  learn(attempt_no: number, due_at_ms: number): void {
    this.learnt += 1
    this.#late.set(attempt_no, Math.min(this.#late.get(attempt_no) ?? due_at_ms, due_at_ms))
    const known = this.#heads.get(attempt_no)
    if (!known || due_at_ms <= known.due_at_ms) this.#heads.set(attempt_no, { attempt_no, due_at_ms, id: lowest_id })
  }

  /** Everything up to here was taken, except for what was learnt meanwhile. */
  claimed(upTo: Head): void {
    const { attempt_no, due_at_ms } = upTo
    const late_ms = this.#late.get(attempt_no) ?? Number.POSITIVE_INFINITY
    this.#heads.set(attempt_no, late_ms > due_at_ms ? upTo : { attempt_no, due_at_ms: late_ms, id: lowest_id })
  }

  /** It is about to be asked: what is learnt from now on may be missing from the answer. */
  ask(): void {
    this.#late.clear()
  }

  forget(attempt_nos: readonly number[]): void {
    for (const attempt_no of attempt_nos) this.#heads.delete(attempt_no)
  }

  start(delivery_id: string): void {
    this.#running.set(delivery_id, performance.now())
    this.#rests = 0
  }

  /** Answers how long the attempt took. */
  end(delivery_id: string): number {
    const duration_ms = performance.now() - (this.#running.get(delivery_id) ?? performance.now())
    this.#running.delete(delivery_id)
    this.unrecorded += 1
    return duration_ms
  }

  rest(): void {
    this.rests_until_ms = performance.now() + Math.min(rest_first_ms * 2 ** this.#rests, rest_max_ms)
    this.#rests += 1
  }

  classAt(monotonic_ms: number): LaneClass {
    const { consecutive_failures = 0, mean_ms = null } = this.facts ?? {}
    const [oldest_ms = monotonic_ms] = this.#running.values()
    const is_slow =
      consecutive_failures >= failing_from || (mean_ms ?? 0) > slow_from_ms || monotonic_ms - oldest_ms > slow_from_ms
    return is_slow ? 'slow' : 'quick'
  }

  /** How many more attempts of this number may begin. Re-attempts may use the whole cap: their times are promised. */
  roomFor(attempt_no: number, cap: number): number {
    const { consecutive_failures = 0, limit_now = null } = this.facts ?? {}
    const limit = attempt_no === 0 ? initialLimit({ consecutive_failures, limit_now }, cap) : cap
    return limit - this.taken
  }

  /** How many more attempts may begin of what is due. */
  dueRoom(now_ms: number, cap: number): number {
    let room = 0
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms <= now_ms) room = Math.max(room, this.roomFor(attempt_no, cap))
    return room
  }

  /** Where something is due and has room. */
  dueHeads(now_ms: number, cap: number): Head[] {
    return [...this.#heads.values()].filter(
      ({ attempt_no, due_at_ms }) => due_at_ms <= now_ms && this.roomFor(attempt_no, cap) > 0,
    )
  }

  /** When the first that has room is due; infinite when there is none. */
  nextDue(cap: number): number {
    let next_ms = Number.POSITIVE_INFINITY
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms < next_ms && this.roomFor(attempt_no, cap) > 0) next_ms = due_at_ms
    return next_ms
  }

  /** Whether something is due and waits for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number, cap: number): boolean {
    if (this.unrecorded === 0) return false
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms <= now_ms && this.roomFor(attempt_no, cap) <= 0) return true
    return false
  }
}
