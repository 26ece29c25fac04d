import type { WebhookSettings } from '../room.ts'
import { attemptLimit, type QueueState, quick_max_ms } from './decide-outcome.ts'

/**
 * Quick is a queue whose last attempt succeeded in less than 5 s and none of whose attempts has been running longer; all
 * others are slow. Each class has half of the slots (webhooks.md 8.3).
 */
export type QueueClass = 'quick' | 'slow'
const queue_classes = ['quick', 'slow'] as const

/** Facts of a queue that decide its share of the slots. */
export type QueueFacts = { organization_id: string } & Pick<
  QueueState,
  'consecutive_failures' | 'window_size' | 'is_quick'
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
  /** Most deliveries to take; none where only the facts of the queue are asked for. */
  want: number
  heads: readonly Head[]
  /** As this process believes the queue to be. */
  facts: QueueFacts | undefined
}

/** The belief of this process about the deliveries of one subscription, and its work on them. */
interface Queue {
  readonly subscription_id: string
  facts: QueueFacts | undefined
  /** By attempt number. */
  readonly heads: Map<number, Head>
  /** Attempts under way by delivery, oldest first: their start on `performance.now()`, and the half that the slot is of. */
  readonly running: Map<string, { began_at_ms: number; slot_class: QueueClass }>
  /** Attempts that have ended and are not recorded yet: the database still counts them. */
  unrecorded: number
  /** When it was served last, and from which half. */
  turn: number
  served_as: QueueClass
  /** Not asked before this time of `performance.now()`, since others work on it; then for twice as long. */
  rests_until_ms: number
  rest_ms: number
}

/** A queue that could use slots, and how many. */
interface Candidate {
  queue: Queue
  room: number
}

/** One organization's part of one half. */
interface Share {
  /** When it was served last. */
  turn: number
  /** Slots that it holds. */
  held: number
  waiting: Candidate[]
}

/** Queues whose facts are kept while nothing is known to wait there. */
const facts_kept = 10_000
const rest_first_ms = 10
const rest_max_ms = 640
const nothing_due = -Infinity
const lowest_id = '00000000-0000-0000-0000-000000000000'

/**
 * The belief of this process about due deliveries, and the turns for its slots. Memory is a hint, the rows are the
 * truth: a head too early costs an empty claim, a head missing waits for the next look at the rows. Nobody has a slot
 * before it is known whose queue it is: subscriptions made anew would have shares of their own.
 *
 * A slot belongs to the half that it was given from until its attempt ends, whatever becomes of the queue meanwhile. In
 * each half organizations and then queues take turns: first who has fewest attempts under way, then who was served
 * longest ago. An organization never holds more slots of a half than it leaves free: half of them alone, a quarter beside
 * two others. So the receivers of three organizations, in whatever order they begin to hang, cannot take the last slots.
 */
export class Schedule {
  /** Slots of each half. */
  readonly #slots: number
  /** Most attempts of one queue: in a small process it may not block its organization when it turns out to be slow. */
  readonly #cap: number
  readonly #queues = new Map<string, Queue>()
  readonly #facts = new Map<string, QueueFacts>()
  #turn = 0

  constructor({ concurrency, in_flight_max }: Pick<WebhookSettings, 'concurrency' | 'in_flight_max'>) {
    this.#slots = Math.floor(concurrency / 2)
    this.#cap = Math.min(in_flight_max, Math.max(1, Math.floor(this.#slots / 4)))
  }

  learn(subscription_id: string, attempt_no: number, due_at_ms: number): void {
    putHead(this.#queue(subscription_id), { attempt_no, due_at_ms, id: lowest_id })
  }

  /** Takes over what is stored of a queue. */
  know(subscription_id: string, facts: QueueFacts): void {
    this.#facts.delete(subscription_id)
    this.#facts.set(subscription_id, facts)
    const [oldest = ''] = this.#facts.keys()
    if (this.#facts.size > facts_kept) this.#facts.delete(oldest)
    const queue = this.#queues.get(subscription_id)
    if (queue) queue.facts = facts
  }

  /**
   * Queues with due deliveries, room and slots, and those of which nothing is known but that; heads that they are asked
   * for are theirs to put back with the answer.
   */
  choose(now_ms: number): Wish[] {
    const monotonic_ms = performance.now()
    const shares = { quick: new Map<string, Share>(), slow: new Map<string, Share>() }
    const unknown: Candidate[] = []
    for (const queue of this.#queues.values()) {
      const room = queue.rests_until_ms > monotonic_ms ? 0 : this.#dueRoom(queue, now_ms)
      if (!queue.facts) {
        if (room > 0) unknown.push({ queue, room: 0 })
        continue
      }
      const { organization_id } = queue.facts
      const own = (slot_class: QueueClass) => shareOf(shares[slot_class], organization_id, queue.turn)
      for (const { slot_class } of queue.running.values()) own(slot_class).held += 1
      if (room > 0) own(classOf(queue)).waiting.push({ queue, room })
    }
    const granted = queue_classes.flatMap((slot_class) => {
      const candidates = divide([...shares[slot_class].values()], this.#slots)
      for (const { queue } of candidates) queue.served_as = slot_class
      return candidates
    })
    return [...unknown, ...granted].map(({ queue, room }) => {
      this.#turn += 1
      queue.turn = this.#turn
      const heads = [...queue.heads.values()].filter(
        ({ attempt_no, due_at_ms }) => due_at_ms <= now_ms && this.#roomFor(queue, attempt_no) > 0,
      )
      for (const { attempt_no } of heads) queue.heads.delete(attempt_no)
      return { subscription_id: queue.subscription_id, want: room, heads, facts: queue.facts }
    })
  }

  /** A claim has answered: from where on deliveries are left. What was learned meanwhile stays. */
  answered({ subscription_id }: Wish, left: readonly Head[], is_busy = false): void {
    const queue = this.#queue(subscription_id)
    for (const head of left) putHead(queue, head)
    if (is_busy) {
      queue.rests_until_ms = performance.now() + queue.rest_ms
      queue.rest_ms = Math.min(2 * queue.rest_ms, rest_max_ms)
    }
    this.#forgetIdle(queue)
  }

  /** Answers the class under which the attempt goes. */
  started({ subscription_id, id }: { subscription_id: string; id: string }): QueueClass {
    const queue = this.#queue(subscription_id)
    queue.rest_ms = rest_first_ms
    queue.running.set(id, { began_at_ms: performance.now(), slot_class: queue.served_as })
    return queue.served_as
  }

  /** The attempt is over; its slot is free, its queue's room only when it is recorded. */
  ended({ subscription_id, id }: { subscription_id: string; id: string }): void {
    const queue = this.#queue(subscription_id)
    queue.running.delete(id)
    queue.unrecorded += 1
  }

  recorded(subscription_id: string): void {
    const queue = this.#queue(subscription_id)
    queue.unrecorded -= 1
    queue.rests_until_ms = 0
    this.#forgetIdle(queue)
  }

  /** Milliseconds until the next queue with room becomes due or has rested; those that are have no slot. */
  waitMs(now_ms: number): number {
    const monotonic_ms = performance.now()
    let wait_ms = Infinity
    for (const queue of this.#queues.values())
      for (const { attempt_no, due_at_ms } of queue.heads.values()) {
        const ready_in_ms = Math.max(due_at_ms - now_ms, queue.rests_until_ms - monotonic_ms)
        if (ready_in_ms > 0 && this.#roomFor(queue, attempt_no) > 0) wait_ms = Math.min(wait_ms, ready_in_ms)
      }
    return wait_ms
  }

  /** True when due deliveries of quick queues wait for nothing but results of this process to be recorded. */
  isHeldBack(now_ms: number): boolean {
    return this.#queues.values().some((queue) => {
      const room = this.#dueRoom(queue, now_ms)
      return queue.unrecorded > 0 && room <= 0 && room > nothing_due && classOf(queue) === 'quick'
    })
  }

  /** Slots in use and queues with something to do, by class. */
  counts(): Record<QueueClass, { running: number; queues: number }> {
    const counts = { quick: { running: 0, queues: 0 }, slow: { running: 0, queues: 0 } }
    for (const queue of this.#queues.values()) {
      counts[classOf(queue)].queues += 1
      for (const { slot_class } of queue.running.values()) counts[slot_class].running += 1
    }
    return counts
  }

  /** Number of further attempts that may begin of what is due. */
  #dueRoom(queue: Queue, now_ms: number): number {
    let room = nothing_due
    for (const { attempt_no, due_at_ms } of queue.heads.values())
      if (due_at_ms <= now_ms) room = Math.max(room, this.#roomFor(queue, attempt_no))
    return room
  }

  #roomFor({ facts, running, unrecorded }: Queue, attempt_no: number): number {
    const { window_size, consecutive_failures } = facts ?? { window_size: 1, consecutive_failures: 0 }
    return attemptLimit(attempt_no, { window_size, consecutive_failures }, this.#cap) - running.size - unrecorded
  }

  #queue(subscription_id: string): Queue {
    let queue = this.#queues.get(subscription_id)
    if (!queue) {
      const facts = this.#facts.get(subscription_id)
      const fresh = { unrecorded: 0, turn: 0, served_as: 'slow', rests_until_ms: 0, rest_ms: rest_first_ms } as const
      queue = { subscription_id, facts, heads: new Map(), running: new Map(), ...fresh }
      this.#queues.set(subscription_id, queue)
    }
    return queue
  }

  #forgetIdle({ subscription_id, heads, running, unrecorded }: Queue): void {
    if (heads.size + running.size + unrecorded === 0) this.#queues.delete(subscription_id)
  }
}

function classOf({ facts, running }: Queue): QueueClass {
  const [oldest] = running.values()
  const is_late = oldest !== undefined && performance.now() - oldest.began_at_ms > quick_max_ms
  return facts?.is_quick && !is_late ? 'quick' : 'slow'
}

function shareOf(shares: Map<string, Share>, organization_id: string, turn: number): Share {
  const share = shares.get(organization_id) ?? { turn, held: 0, waiting: [] }
  share.turn = Math.max(share.turn, turn)
  shares.set(organization_id, share)
  return share
}

/** Divides the free slots of a half: one by one among organizations, then queue by queue in each. */
function divide(shares: readonly Share[], slots: number): Candidate[] {
  const granted = new Map<Queue, number>()
  for (const { waiting } of shares)
    waiting.sort((a, b) => a.queue.running.size - b.queue.running.size || a.queue.turn - b.queue.turn)
  for (let free = shares.reduce((left, { held }) => left - held, slots); free > 0; free -= 1) {
    let next: Share | undefined
    for (const one of shares) {
      if (one.waiting.length === 0) continue
      if (!next || one.held < next.held || (one.held === next.held && one.turn < next.turn)) next = one
    }
    const first = next?.waiting[0]
    // No more than it leaves free, but for a first slot.
    if (!next || !first || (next.held > 0 && next.held + 2 > free)) break
    const given = (granted.get(first.queue) ?? 0) + 1
    granted.set(first.queue, given)
    next.held += 1
    if (given === first.room) next.waiting.shift()
  }
  return [...granted].map(([queue, room]) => ({ queue, room }))
}

/** The earlier head of an attempt number stands. */
function putHead({ heads }: Queue, head: Head): void {
  const known = heads.get(head.attempt_no)
  const is_earlier = !known || head.due_at_ms < known.due_at_ms
  if (is_earlier || (head.due_at_ms === known.due_at_ms && head.id < known.id)) heads.set(head.attempt_no, head)
}
