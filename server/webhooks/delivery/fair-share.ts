import type { Lane } from './lane.ts'

/** Slot time is charged in units of this length; a shorter attempt costs one. */
const unit_ms = 100
/** Organizations remembered before those are forgotten that have no lead over the others. */
const organizations_kept = 1_000

/** A lane that could use slots. */
export interface Candidate {
  lane: Lane
  /** Slots it can use. */
  room: number
}

interface Account {
  /** Units of slot time used. */
  used: number
  /** What its lane served last had used: nobody comes in with less. */
  floor: number
}

/**
 * Who of a class gets slots: whoever has used the least slot time, among organizations and then among the lanes of one
 * (webhooks.md 8.4). What an attempt costs is known when it ends, so it is charged afterwards. Idle time earns nothing:
 * whoever comes back starts level with the one served last.
 */
export class FairShare {
  readonly #accounts = new Map<string, Account>()
  #floor = 0

  /**
   * Divides `slots` among the candidates: in rounds, one lane of each organization in each. Of `all` slots of the class
   * one organization holds half at most while another one has something due; `held` tells what each holds already.
   */
  divide(candidates: readonly Candidate[], slots: number, all: number, held: ReadonlyMap<string, number>): Candidate[] {
    const queues = [...Map.groupBy(candidates, ({ lane }) => organizationOf(lane))].map(([id, waiting]) => {
      const account = this.#account(id)
      for (const { lane } of waiting) lane.used = Math.max(lane.used, account.floor)
      waiting.sort((a, b) => a.lane.used - b.lane.used)
      return { account, waiting, held: held.get(id) ?? 0 }
    })
    queues.sort((a, b) => a.account.used - b.account.used)
    this.#floor = Math.max(this.#floor, queues[0]?.account.used ?? 0)
    const held_max = queues.length > 1 ? Math.ceil(all / 2) : all
    const granted: Candidate[] = []
    let left = slots
    for (let round = 0; left > 0 && queues.some(({ waiting }) => round < waiting.length); round += 1) {
      for (const queue of queues) {
        const next = queue.waiting[round]
        const room = Math.min(next?.room ?? 0, left, held_max - queue.held)
        if (!next || room <= 0) continue
        if (round === 0) queue.account.floor = Math.max(queue.account.floor, next.lane.used)
        granted.push({ lane: next.lane, room })
        queue.held += room
        left -= room
      }
    }
    return granted
  }

  /** An attempt began: it costs one unit at least. */
  begin(lane: Lane): void {
    this.#charge(lane, 1)
  }

  /** It has ended: the rest of what it cost. */
  end(lane: Lane, duration_ms: number): void {
    this.#charge(lane, Math.max(0, Math.ceil(duration_ms / unit_ms) - 1))
  }

  #charge(lane: Lane, units: number): void {
    lane.used += units
    this.#account(organizationOf(lane)).used += units
  }

  #account(id: string): Account {
    const known = this.#accounts.get(id)
    if (known) {
      known.used = Math.max(known.used, this.#floor)
      return known
    }
    if (this.#accounts.size >= organizations_kept) this.#forgetLevel()
    const account = { used: this.#floor, floor: 0 }
    this.#accounts.set(id, account)
    return account
  }

  #forgetLevel(): void {
    for (const [id, { used }] of this.#accounts) if (used <= this.#floor) this.#accounts.delete(id)
  }
}

/** Lanes of which only the id is known yet count together as one organization. */
export function organizationOf({ facts }: Lane): string {
  return facts?.organization_id ?? ''
}
