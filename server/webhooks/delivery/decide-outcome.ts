import type { AttemptResult } from '#outbound/attempt.ts'
import type { DeliveryOrigin } from '../fan-out.store.ts'
import type { WebhookSettings } from '../room.ts'

/** The state of a subscription that attempts change; read and written while its row of `webhook_lanes` is locked. */
export interface QueueState extends Pace {
  status: 'active' | 'disabled' | 'deleted'
  consecutive_failures: number
  /** When the first of its consecutive failures ended. */
  failing_since: string | null
}

/** The load that a receiver can take, as its attempts have shown; stored, so that all processes go by it. */
export interface Pace {
  /** Initial attempts that may run at once; null: as many as the cap. */
  limit_now: number | null
  /** Database time. */
  limit_halved_at_ms: number | null
  /** Successes in a row since the limit was last changed. */
  success_run: number
  /** Mean duration of an attempt, the newest weighing most; null before the first. */
  mean_ms: number | null
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
  const paced = { ...queue, ...paceAfter(queue, attempt, limits.in_flight_max) }
  const after = counted ? { ...paced, ...countAfter(queue, attempt) } : paced
  const ended = { hold_reason: null, attempt_no, next_attempt_at_ms: null, faults: 0 }
  if (outcome === 'succeeded')
    return { counted, decision: 'done', delivery: { ...ended, status: 'succeeded' }, queue: after, warns: false }
  const warns = counted && after.consecutive_failures === limits.warn_after
  if (delay_ms !== null)
    return { counted, warns, queue: after, ...wait('retry', queue, attempt_no + 1, ended_at_ms + delay_ms, 0) }
  const disables = counted && after.consecutive_failures >= limits.disable_after
  const exhausted = { ...after, status: disables ? ('disabled' as const) : queue.status }
  return { counted, decision: 'exhausted', delivery: { ...ended, status: 'failed' }, queue: exhausted, warns }
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

const halve_every_ms = 10_000
const successes_per_step = 20
const newest_weight = 0.2
/** From this many failures in a row on, a receiver is only probed. */
export const failing_from = 5

/**
 * The adaptive limit (webhooks.md 8.2): a receiver that says 429 or does not answer in time gets half as many initial
 * attempts at once, and one more for every 20 successes in a row.
 */
export function paceAfter(
  pace: Pace,
  {
    outcome,
    error_class,
    response_status,
    total_ms,
    ended_at_ms,
  }: Omit<AttemptFacts, 'origin' | 'attempt_no' | 'delay_ms' | 'faults'>,
  cap: number,
): Pace {
  const { limit_halved_at_ms } = pace
  const mean_ms = pace.mean_ms === null ? total_ms : pace.mean_ms + newest_weight * (total_ms - pace.mean_ms)
  const limit = Math.min(pace.limit_now ?? cap, cap)
  if (outcome === 'succeeded') {
    const success_run = pace.limit_now === null ? 0 : pace.success_run + 1
    if (success_run < successes_per_step) return { ...pace, success_run, mean_ms }
    return { limit_now: limit + 1 < cap ? limit + 1 : null, limit_halved_at_ms, success_run: 0, mean_ms }
  }
  // Attempts that ran side by side tell of one overload, not of several; a clock that was put back must not bind.
  const may_halve = limit_halved_at_ms === null || Math.abs(ended_at_ms - limit_halved_at_ms) >= halve_every_ms
  const is_overloaded = response_status === 429 || error_class === 'timeout'
  if (!is_overloaded || !may_halve) return { ...pace, success_run: 0, mean_ms }
  return { limit_now: Math.max(1, Math.floor(limit / 2)), limit_halved_at_ms: ended_at_ms, success_run: 0, mean_ms }
}

/** Attempts of this number that may run at once. Re-attempts may use the whole cap: their times are promised. */
export function attemptLimit(
  attempt_no: number,
  { limit_now, consecutive_failures }: Pick<QueueState, 'limit_now' | 'consecutive_failures'>,
  cap: number,
): number {
  if (attempt_no > 0) return cap
  return consecutive_failures >= failing_from ? 1 : Math.min(limit_now ?? cap, cap)
}
