import assert from 'node:assert/strict'
import type { AttemptEntry, Entry } from '#test/serial-history.ts'
import { lease_ms } from '#webhooks/delivery/deliver.store.ts'

export const delays_ms = [1_000, 2_000]
export const disable_after = 3

interface Known {
  status: 'waiting' | 'succeeded' | 'failed'
  series: number
  attempt_no: number
}

/** The rules as the design tells them (4.1 and 4.2), fed with what was recorded, in its order. */
export class Reference {
  failures = 0
  active = true
  batches_of_several = 0
  disabled_by_failures = 0
  readonly #seen = new Set<string>()
  readonly #deliveries = new Map<string, Known>()
  /** Sources of which a redelivery has succeeded. */
  readonly #recovered = new Set<string>()

  /** Takes the entries that are new; those of before must still be where they were. */
  follow(history: readonly Entry[]): void {
    assert.ok(history.slice(0, this.#seen.size).every(({ kind, id }) => this.#seen.has(`${kind} ${id}`)))
    const entries = history.filter(({ kind, id }) => !this.#seen.has(`${kind} ${id}`))
    for (const batch of Map.groupBy(entries, ({ transaction }) => transaction).values()) {
      if (batch.filter(({ kind }) => kind === 'attempt').length > 1) this.batches_of_several += 1
      for (const entry of batch) {
        this.#seen.add(`${entry.kind} ${entry.id}`)
        if (entry.kind === 'attempt') this.#record(entry)
        else this.#change(entry.status, batch.length > 1)
      }
    }
  }

  /** Every delivery is what its attempts made of it, or waits where the status of the subscription tells. */
  check(deliveries: readonly { id: string; origin: string; event_id: string; status: string }[]): void {
    const of_events = deliveries.filter(({ origin }) => origin === 'event')
    assert.equal(new Set(of_events.map(({ event_id }) => event_id)).size, of_events.length)
    for (const { id, status } of deliveries) {
      const { status: known } = this.#deliveries.get(id) ?? { status: 'waiting' }
      if (known !== 'waiting') assert.equal(status, known)
      else if (status === 'succeeded') assert.ok(this.#recovered.has(id))
      else assert.ok(this.active ? ['pending', 'held'].includes(status) : status === 'held', status)
    }
  }

  #change(status: string, is_by_attempts: boolean): void {
    if (is_by_attempts) assert.deepEqual([status, this.active], ['disabled', false])
    if (status === 'active' && !this.active) this.failures = 0
    this.active = status === 'active'
  }

  #record(attempt: AttemptEntry): void {
    const { delivery_id, series, attempt_no, outcome, applied } = attempt
    if (!applied) {
      assert.deepEqual([attempt.counted, attempt.decision], [false, 'none'])
      return
    }
    const before = this.#deliveries.get(delivery_id) ?? { status: 'waiting', series: 1, attempt_no: 0 }
    assert.equal(before.status, 'waiting', 'what is over is not tried again')
    // A release begins a new series; otherwise numbers follow each other.
    if (series === before.series) assert.equal(attempt_no, before.attempt_no)
    else assert.ok(series > before.series && attempt_no === 0)
    const counts = attempt.origin === 'event' && this.active && outcome !== 'unknown'
    assert.equal(attempt.counted, counts)
    const decision = this.#decide(attempt)
    assert.equal(attempt.decision, decision)
    // Counted from its end, and time stands still during an attempt, unless a lease was let run out meanwhile.
    const later_ms = (attempt.waits_ms ?? 0) - (attempt.delays_ms[attempt_no] ?? 0)
    if (decision === 'retry') assert.ok(later_ms === 0 || later_ms === lease_ms, `${later_ms} ms later`)
    if (counts) this.failures = outcome === 'succeeded' ? 0 : this.failures + 1
    if (counts && decision === 'exhausted' && this.failures >= disable_after) {
      this.active = false
      this.disabled_by_failures += 1
    }
    if (decision === 'done' && attempt.source_delivery_id) this.#recovered.add(attempt.source_delivery_id)
    this.#deliveries.set(delivery_id, after(attempt))
  }

  #decide({ outcome, attempt_no, delays_ms: delays }: AttemptEntry): string {
    if (outcome === 'succeeded') return 'done'
    if (outcome === 'failed' && attempt_no >= delays.length) return 'exhausted'
    if (!this.active) return 'held'
    return outcome === 'failed' ? 'retry' : 'repeat'
  }
}

function after({ outcome, series, attempt_no, delays_ms: delays }: AttemptEntry): Known {
  if (outcome === 'succeeded') return { status: 'succeeded', series, attempt_no }
  if (outcome === 'unknown') return { status: 'waiting', series, attempt_no }
  return { status: attempt_no < delays.length ? 'waiting' : 'failed', series, attempt_no: attempt_no + 1 }
}
