import type { AttemptResult } from '#outbound/attempt.ts'
import type { DeliveryOrigin } from '../fan-out.store.ts'
import type { WebhookSettings } from '../room.ts'

/** The state of a subscription that attempts change; read and written while its row of `webhook_lanes` is locked. */
export interface QueueState {
  status: 'active' | 'disabled' | 'deleted'
  consecutive_failures: number
  /** When the first of its consecutive failures ended. */
  failing_since: string | null
  /** Initial attempts that may run at once, over all processes. */
  window_size: number
  window_halved_at: string | null
  /** The last attempt succeeded, and took less than `quick_max_ms`. */
  is_quick: boolean
}

/** One attempt that has ended, as far as the rules look at it. */
export interface AttemptFacts extends Pick<AttemptResult, 'outcome' | 'response_status' | 'total_ms'> {
  origin: DeliveryOrigin
  /** 0 is the first attempt of a series. */
  attempt_no: number
  /** The delay that follows a failure of this attempt; null after the last one. */
  delay_ms: number | null
  /** Successive lost workers and own errors before this attempt. */
  faults: number
  error_class: string | null
  /** Database time. */
  ended_at_ms: number
}

export interface Outcome {
  /** True when the attempt raises or resets the counter. */
  counted: boolean
  decision: 'done' | 'retry' | 'exhausted' | 'held' | 'cancelled' | 'repeat'
  delivery: {
    status: 'succeeded' | 'failed' | 'pending' | 'held' | 'cancelled'
    hold_reason: 'disabled' | 'internal' | null
    attempt_no: number
    next_attempt_at_ms: number | null
    faults: number
  }
  queue: QueueState
  /** The counter has just become `warn_after`. */
  warns: boolean
}

export type OutcomeLimits = Pick<WebhookSettings, 'disable_after' | 'warn_after' | 'in_flight_max'>

/** At this many faults a person has to look: the delivery is held, but not because of its receiver. */
export const faults_max = 20

/**
 * The rules of a finished attempt (webhooks.md 3.5 and 4.1). A failure after the last delay disables the subscription
 * when the counter, this failure included, has reached `disable_after`. Simulations, redeliveries and replays neither
 * raise nor reset the counter.
 */
export function decideOutcome(attempt: AttemptFacts, queue: QueueState, limits: OutcomeLimits): Outcome {
  const { origin, outcome, attempt_no, delay_ms, ended_at_ms } = attempt
  if (outcome === 'unknown') return { counted: false, warns: false, queue, ...repeat(attempt, queue) }
  const counted = origin === 'event' && queue.status === 'active'
  const after = { ...queue, ...windowAfter(queue, attempt, limits), ...(counted && countAfter(queue, attempt)) }
  const { consecutive_failures } = after
  const base = { counted, queue: after, warns: counted && consecutive_failures === limits.warn_after }
  const ended = { hold_reason: null, attempt_no, next_attempt_at_ms: null, faults: 0 }
  if (outcome === 'succeeded') return { ...base, decision: 'done', delivery: { ...ended, status: 'succeeded' } }
  if (delay_ms !== null) return { ...base, ...wait('retry', queue, attempt_no + 1, ended_at_ms + delay_ms, 0) }
  if (counted && consecutive_failures >= limits.disable_after) base.queue = { ...after, status: 'disabled' }
  return { ...base, decision: 'exhausted', delivery: { ...ended, status: 'failed' } }
}

function countAfter({ consecutive_failures, failing_since }: QueueState, { outcome, ended_at_ms }: AttemptFacts) {
  if (outcome === 'succeeded') return { consecutive_failures: 0, failing_since: null }
  const since = consecutive_failures === 0 ? new Date(ended_at_ms).toISOString() : failing_since
  return { consecutive_failures: consecutive_failures + 1, failing_since: since }
}

/** The same attempt again, since our side cannot tell what happened; later and later when that is our own fault. */
function repeat({ attempt_no, error_class, faults: before, ended_at_ms }: AttemptFacts, queue: QueueState) {
  const faults = error_class === 'shutdown' ? before : before + 1
  const due_at_ms = error_class === 'shutdown' ? ended_at_ms : ended_at_ms + faultDelayMs(faults)
  const again = wait('repeat', queue, attempt_no, due_at_ms, faults)
  if (faults === before || faults < faults_max || queue.status === 'deleted') return again
  const delivery = { ...again.delivery, status: 'held', hold_reason: 'internal', next_attempt_at_ms: null } as const
  return { decision: 'held' as const, delivery }
}

/** The third fault and those after it wait 2, 4, 8 … 300 seconds. */
export function faultDelayMs(faults: number): number {
  return faults < 3 ? 0 : Math.min(2 ** (faults - 2), 300) * 1_000
}

/** Lets the delivery wait for an active subscription; holds it for a disabled one and ends it for a deleted one. */
function wait(
  decision: 'retry' | 'repeat',
  { status }: QueueState,
  attempt_no: number,
  due_at_ms: number,
  faults: number,
): Pick<Outcome, 'decision' | 'delivery'> {
  const waiting = { hold_reason: null, attempt_no, next_attempt_at_ms: null, faults }
  if (status === 'deleted') return { decision: 'cancelled', delivery: { ...waiting, status: 'cancelled' } }
  if (status === 'disabled')
    return { decision: 'held', delivery: { ...waiting, status: 'held', hold_reason: 'disabled' } }
  return { decision, delivery: { ...waiting, status: 'pending', next_attempt_at_ms: due_at_ms } }
}

/** A success that took longer, or an attempt that runs longer, is slow. */
export const quick_max_ms = 5_000
const halve_every_ms = 10_000
/** From this many failures in a row on, a receiver is only probed. */
const failing_from = 5

/** The window (webhooks.md 8.2): one more with each quick success up to the cap, half as many at an overload. */
function windowAfter(
  { window_size, window_halved_at }: QueueState,
  { outcome, error_class, response_status, total_ms, ended_at_ms }: AttemptFacts,
  { in_flight_max }: OutcomeLimits,
): Partial<QueueState> {
  const is_quick = outcome === 'succeeded' && total_ms < quick_max_ms
  if (is_quick) return { is_quick, window_size: Math.min(window_size + 1, in_flight_max) }
  // Attempts that ran side by side tell of one overload, not of several; a clock that was put back must not bind.
  const halved_ago_ms = window_halved_at === null ? Infinity : Math.abs(ended_at_ms - Date.parse(window_halved_at))
  const is_overloaded = response_status === 429 || error_class === 'timeout'
  if (!is_overloaded || halved_ago_ms < halve_every_ms) return { is_quick }
  const half = Math.max(1, Math.floor(Math.min(window_size, in_flight_max) / 2))
  return { is_quick, window_size: half, window_halved_at: new Date(ended_at_ms).toISOString() }
}

/** Attempts of this number that may run at once. Re-attempts may use the whole cap: their times are promised. */
export function attemptLimit(
  attempt_no: number,
  { window_size, consecutive_failures }: Pick<QueueState, 'window_size' | 'consecutive_failures'>,
  cap: number,
): number {
  if (attempt_no > 0) return cap
  return consecutive_failures >= failing_from ? 1 : Math.min(window_size, cap)
}
