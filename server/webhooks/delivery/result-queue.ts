import { DatabaseUnavailable } from '#db/errors.ts'
import { type EndedAttempt, unknownResult } from './attempt.ts'

/** A turn begins at once when this many wait, else … */
const waiting_max = 100
/** … this long after the first of them, unless it is needed for something that is due. */
const linger_ms = 10
/** Due deliveries that wait for results to be recorded shorten the wait: enough for a lane's attempts to end together. */
const linger_held_back_ms = 2
/** Fewer than these are recorded in a turn of their own: an event need not wait for them. */
const folded_min = 8
/** Results of one turn: with more the lanes stay locked too long. */
const batch_max = 200
/** After so many turns that left results behind, one waits for the lanes that others work on. */
const deferrals_max = 5

/**
 * Finished attempts that are not recorded yet: at most one per slot. Nothing is taken out before its transaction has
 * committed, so an outage of the database loses no result.
 */
export class ResultQueue {
  #results: EndedAttempt[] = []
  #waiting_since_ms = 0
  /** Results that are recorded one by one, because one of them could not be. */
  #suspects = 0
  /** Turns in a row that had to leave results behind. */
  #deferrals = 0

  get length(): number {
    return this.#results.length
  }

  /** Milliseconds until they are to be recorded; less when something that is due waits for them. */
  waitMs(is_needed: boolean): number {
    if (this.#results.length >= waiting_max) return 0
    return (is_needed ? linger_held_back_ms : linger_ms) - this.#age_ms
  }

  /** Whether they are so few and new that what is due need not wait until they are recorded. */
  get mayWait(): boolean {
    return this.#results.length < folded_min && this.#age_ms < linger_ms
  }

  /** How long the first of them waits. */
  get #age_ms(): number {
    return performance.now() - this.#waiting_since_ms
  }

  get isCareful(): boolean {
    return this.#suspects > 0
  }

  push(ended: EndedAttempt): void {
    if (this.#results.length === 0) this.#waiting_since_ms = performance.now()
    this.#results.push(ended)
  }

  /** What the next turn is to record. */
  batch(): EndedAttempt[] {
    return this.#results.slice(0, this.isCareful ? 1 : batch_max)
  }

  /** Whether a lane that others work on is to be waited for: now and then, so that no result stays behind for long. */
  get isPatient(): boolean {
    return this.isCareful || this.#deferrals >= deferrals_max
  }

  /** The first so many are recorded, except those that were left for the next turn. */
  recorded(results: number, deferred: readonly EndedAttempt[] = []): void {
    // A turn that only claimed: those that wait grow no younger by it.
    if (results === 0) return
    this.#results.splice(0, results, ...deferred)
    this.#waiting_since_ms = performance.now()
    this.#suspects = Math.max(0, this.#suspects - results)
    this.#deferrals = deferred.length > 0 ? this.#deferrals + 1 : 0
  }

  /**
   * A turn with this batch failed. Unless the database was away, one result may be what it cannot take: then they are
   * tried one by one, the culprit once more without its evidence, and is given up at last, so that its lease runs out.
   * Answers the result given up.
   */
  failed(batch: readonly EndedAttempt[], error: unknown): EndedAttempt | null {
    const [only] = batch
    if (error instanceof DatabaseUnavailable || !only) return null
    if (batch.length > 1 || !this.isCareful) {
      this.#suspects = batch.length
      return null
    }
    if (only.result.error_class !== 'internal') {
      const detail = `the result could not be stored: ${error instanceof Error ? error.message : error}`
      this.#results[0] = { ...only, request_headers: {}, key_labels: [], result: unknownResult('internal', detail) }
      return null
    }
    this.recorded(1)
    return only
  }
}
