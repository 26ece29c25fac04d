import type { WebhookSettings } from '../room.ts'
import { attemptLimit, failing_from, type QueueState } from './decide-outcome.ts'

/** Slow queues share a part of the slots, so that quick ones always find some free (webhooks.md 8.3). */
export type QueueClass = 'quick' | 'slow'

/** Facts of a queue that decide its share of the slots. */
export type QueueFacts = { organization_id: string } & Pick<
  QueueState,
  'consecutive_failures' | 'limit_now' | 'mean_ms'
>

/** The place, in the order of due time and id, from which deliveries of one attempt number may be due. */
export interface Head {
  attempt_no: number
  /** Milliseconds of database time. */
  due_at_ms: number
  /** Of those that are due at that time, none with a lower id. */
  id: string
}

/** The question that one claim is to ask of one queue. */
export interface Wish {
  subscription_id: string
  /** Most deliveries to take. */
  want: number
  heads: readonly Head[]
}

type SlotLimits = Pick<WebhookSettings, 'concurrency' | 'in_flight_max'>
type ByClass<Value> = Record<QueueClass, Value>

/** A queue that could use slots, and how many. */
interface Candidate {
  queue: Queue
  room: number
}

/** Of all slots: what slow queues use together at most … */
const slow_share = 0.25
/** … and what they are sure of while something of theirs is due. */
const slow_sure_share = 0.05
/** A receiver that takes longer, in the mean or with an attempt under way, is slow. */
const slow_from_ms = 5_000
/** Queues whose facts are kept while nothing is known to wait there. */
const facts_kept = 10_000
/** Organizations whose turn is remembered. */
const turns_kept = 1_000
/** Pause of a queue that is locked, or whose room other processes use; twice as long each time. */
const rest_first_ms = 10
const rest_max_ms = 640
const lowest_id = '00000000-0000-0000-0000-000000000000'

/**
 * The belief of this process about due deliveries, and the turns for its slots. Memory is a hint, the rows are the
 * truth: a head too early costs an empty claim, a head missing waits for the next look at the rows.
 *
 * Organizations and then queues take turns: first who has fewest attempts under way, then who was served longest ago
 * (webhooks.md 8.4). A long attempt holds its slot for as long as it takes, so equal slots are equal slot time.
 */
export class Schedule {
  readonly #slots: ByClass<number>
  readonly #slow_sure: number
  /** Most slots that one queue may have of this process: any can turn out to be slow. */
  readonly #queue_max: number
  readonly #queues = new Map<string, Queue>()
  readonly #facts = new Map<string, QueueFacts>()
  /** Number of the turn in which an organization was served last, the longest ago first. */
  readonly #turns = new Map<string, number>()
  #turn = 0

  constructor({ concurrency, in_flight_max }: SlotLimits) {
    this.#slots = { quick: concurrency, slow: Math.max(1, Math.floor(concurrency * slow_share)) }
    this.#slow_sure = Math.max(1, Math.floor(concurrency * slow_sure_share))
    this.#queue_max = Math.min(in_flight_max, this.#slots.slow)
  }

  learn(subscription_id: string, attempt_no: number, due_at_ms: number): void {
    this.#queue(subscription_id).learn({ attempt_no, due_at_ms, id: lowest_id })
  }

  /** Takes over what is stored of a queue. */
  know(subscription_id: string, facts: QueueFacts): void {
    keepNewest(this.#facts, subscription_id, facts, facts_kept)
    const queue = this.#queues.get(subscription_id)
    if (queue) queue.facts = facts
  }

  /** Queues with due deliveries and room, for at most `free` deliveries together; what they ask is theirs to answer. */
  choose(now_ms: number, free: number): Wish[] {
    return this.#grants(now_ms, free).map(({ queue, room }) => {
      this.#turn += 1
      queue.turn = this.#turn
      keepNewest(this.#turns, queue.organization_id, this.#turn, turns_kept)
      return { subscription_id: queue.subscription_id, want: room, heads: queue.takeDue(now_ms, this.#queue_max) }
    })
  }

  /** A claim has answered: from where on deliveries are left. What was learned meanwhile stays. */
  answered({ subscription_id }: Wish, left: readonly Head[], is_busy = false): void {
    const queue = this.#queue(subscription_id)
    for (const head of left) queue.putBack(head)
    if (is_busy) queue.rest()
    this.#forgetIdle(queue)
  }

  /** Answers the class under which the attempt goes. */
  started({ subscription_id, id }: { subscription_id: string; id: string }): QueueClass {
    const queue = this.#queue(subscription_id)
    const queue_class = queue.classAt(performance.now())
    queue.start(id)
    return queue_class
  }

  /** The attempt is over; its slot is free, its queue's room only when it is recorded. */
  ended({ subscription_id, id }: { subscription_id: string; id: string }): void {
    this.#queue(subscription_id).end(id)
  }

  recorded(subscription_id: string): void {
    const queue = this.#queue(subscription_id)
    queue.unrecorded -= 1
    queue.rests_until_ms = 0
    this.#forgetIdle(queue)
  }

  /** Milliseconds until a claim can be of use; infinite when it is of use only after something else has happened. */
  waitMs(now_ms: number, free: number): number {
    if (free <= 0) return Number.POSITIVE_INFINITY
    const monotonic_ms = performance.now()
    let wait_ms = Number.POSITIVE_INFINITY
    let is_due = false
    for (const queue of this.#queues.values()) {
      const ready_in_ms = Math.max(queue.nextDue(this.#queue_max) - now_ms, queue.rests_until_ms - monotonic_ms)
      if (ready_in_ms > 0) wait_ms = Math.min(wait_ms, ready_in_ms)
      // Slow queues can be refused slots that are free.
      else if (free > this.#slow_sure && queue.classAt(monotonic_ms) === 'quick') return 0
      else is_due = true
    }
    return is_due && this.#grants(now_ms, free).length > 0 ? 0 : wait_ms
  }

  /** True when due deliveries of quick queues wait for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number): boolean {
    const monotonic_ms = performance.now()
    return this.#queues
      .values()
      .some((queue) => queue.isHeldBack(now_ms, this.#queue_max) && queue.classAt(monotonic_ms) === 'quick')
  }

  classOf(subscription_id: string): QueueClass {
    return this.#queues.get(subscription_id)?.classAt(performance.now()) ?? 'quick'
  }

  /** Attempts under way and queues with something to do, by class. */
  counts(): ByClass<{ running: number; queues: number }> {
    const counts = { quick: { running: 0, queues: 0 }, slow: { running: 0, queues: 0 } }
    for (const queue of this.#queues.values()) {
      const count = counts[queue.classAt(performance.now())]
      count.running += queue.running
      count.queues += 1
    }
    return counts
  }

  #grants(now_ms: number, free: number): Candidate[] {
    const due: ByClass<Candidate[]> = { quick: [], slow: [] }
    /** Attempts under way, by organization. */
    const held: ByClass<Map<string, number>> = { quick: new Map(), slow: new Map() }
    const running: ByClass<number> = { quick: 0, slow: 0 }
    const monotonic_ms = performance.now()
    for (const queue of this.#queues.values()) {
      const queue_class = queue.classAt(monotonic_ms)
      const organization = held[queue_class]
      organization.set(queue.organization_id, (organization.get(queue.organization_id) ?? 0) + queue.running)
      running[queue_class] += queue.running
      const room = queue.rests_until_ms > monotonic_ms ? 0 : queue.dueRoom(now_ms, this.#queue_max)
      if (room > 0) due[queue_class].push({ queue, room })
    }
    const reserved = due.slow.length > 0 ? Math.max(0, this.#slow_sure - running.slow) : 0
    const quick = this.#divide(due.quick, Math.max(0, free - reserved), this.#slots.quick, held.quick)
    const left = free - quick.reduce((sum, { room }) => sum + room, 0)
    const slow_room = Math.min(left, this.#slots.slow - running.slow)
    return [...quick, ...this.#divide(due.slow, slow_room, this.#slots.slow, held.slow)]
  }

  /**
   * Divides `slots` in rounds, one queue of each organization in each. Of `all` slots of the class one organization
   * holds half at most while another one has something due.
   */
  #divide(due: readonly Candidate[], slots: number, all: number, held: Map<string, number>): Candidate[] {
    if (due.length === 0 || slots <= 0) return []
    const organizations = [...Map.groupBy(due, ({ queue }) => queue.organization_id)].map(([id, waiting]) => ({
      waiting: waiting.sort((a, b) => a.queue.running - b.queue.running || a.queue.turn - b.queue.turn),
      held: held.get(id) ?? 0,
      turn: this.#turns.get(id) ?? 0,
    }))
    organizations.sort((a, b) => a.held - b.held || a.turn - b.turn)
    const held_max = organizations.length > 1 ? Math.ceil(all / 2) : all
    const granted: Candidate[] = []
    let left = slots
    for (let round = 0; left > 0 && organizations.some(({ waiting }) => round < waiting.length); round += 1) {
      for (const organization of organizations) {
        const next = organization.waiting[round]
        const room = Math.min(next?.room ?? 0, left, held_max - organization.held)
        if (!next || room <= 0) continue
        granted.push({ queue: next.queue, room })
        organization.held += room
        left -= room
      }
    }
    return granted
  }

  #queue(subscription_id: string): Queue {
    let queue = this.#queues.get(subscription_id)
    if (!queue) {
      queue = new Queue(subscription_id, this.#facts.get(subscription_id))
      this.#queues.set(subscription_id, queue)
    }
    return queue
  }

  #forgetIdle(queue: Queue): void {
    if (queue.isIdle) this.#queues.delete(queue.subscription_id)
  }
}

/** The belief of this process about the deliveries of one subscription, and its work on them. */
class Queue {
  readonly subscription_id: string
  facts: QueueFacts | undefined
  /** When it was served last. */
  turn = 0
  /** Attempts that have ended and are not recorded yet: the database still counts them. */
  unrecorded = 0
  /** Not asked before this time of `performance.now()`. */
  rests_until_ms = 0
  #rests = 0
  readonly #heads = new Map<number, Head>()
  /** Start of the attempts under way by delivery, oldest first, of `performance.now()`. */
  readonly #running = new Map<string, number>()

  constructor(subscription_id: string, facts: QueueFacts | undefined) {
    this.subscription_id = subscription_id
    this.facts = facts
  }

  /** Queues of which only the id is known yet count together as one organization. */
  get organization_id(): string {
    return this.facts?.organization_id ?? ''
  }

  get isIdle(): boolean {
    return this.#heads.size === 0 && this.running + this.unrecorded === 0
  }

  get running(): number {
    return this.#running.size
  }

  learn(head: Head): void {
    const known = this.#heads.get(head.attempt_no)
    if (!known || head.due_at_ms <= known.due_at_ms) this.#heads.set(head.attempt_no, head)
  }

  /** Its due heads that have room, which whoever asks for them puts back as far as they are not exhausted. */
  takeDue(now_ms: number, cap: number): Head[] {
    const due = [...this.#heads.values()].filter(
      ({ attempt_no, due_at_ms }) => due_at_ms <= now_ms && this.#roomFor(attempt_no, cap) > 0,
    )
    for (const { attempt_no } of due) this.#heads.delete(attempt_no)
    return due
  }

  putBack(head: Head): void {
    const learned = this.#heads.get(head.attempt_no)
    if (!learned || learned.due_at_ms > head.due_at_ms) this.#heads.set(head.attempt_no, head)
  }

  start(delivery_id: string): void {
    this.#running.set(delivery_id, performance.now())
    this.#rests = 0
  }

  end(delivery_id: string): void {
    this.#running.delete(delivery_id)
    this.unrecorded += 1
  }

  rest(): void {
    this.rests_until_ms = performance.now() + Math.min(rest_first_ms * 2 ** this.#rests, rest_max_ms)
    this.#rests += 1
  }

  classAt(monotonic_ms: number): QueueClass {
    const { consecutive_failures = 0, mean_ms = null } = this.facts ?? {}
    const oldest_ms = this.#running.values().next().value ?? monotonic_ms
    const is_slow =
      consecutive_failures >= failing_from || (mean_ms ?? 0) > slow_from_ms || monotonic_ms - oldest_ms > slow_from_ms
    return is_slow ? 'slow' : 'quick'
  }

  /** Number of further attempts that may begin of what is due. */
  dueRoom(now_ms: number, cap: number): number {
    let room = 0
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms <= now_ms) room = Math.max(room, this.#roomFor(attempt_no, cap))
    return room
  }

  /** When the first that has room is due; infinite when there is none. */
  nextDue(cap: number): number {
    let next_ms = Number.POSITIVE_INFINITY
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms < next_ms && this.#roomFor(attempt_no, cap) > 0) next_ms = due_at_ms
    return next_ms
  }

  /** True when something is due and waits for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number, cap: number): boolean {
    if (this.unrecorded === 0) return false
    for (const { attempt_no, due_at_ms } of this.#heads.values())
      if (due_at_ms <= now_ms && this.#roomFor(attempt_no, cap) <= 0) return true
    return false
  }

  #roomFor(attempt_no: number, cap: number): number {
    const { consecutive_failures = 0, limit_now = null } = this.facts ?? {}
    return attemptLimit(attempt_no, { consecutive_failures, limit_now }, cap) - this.running - this.unrecorded
  }
}

/** Sets an entry as the newest one, and forgets the oldest beyond so many. */
function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, kept_max: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > kept_max && oldest !== undefined) map.delete(oldest)
}
