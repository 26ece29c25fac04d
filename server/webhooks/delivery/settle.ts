import type { DeliveryOrigin } from '../delivery.store.ts'

/** What completions change of a subscription; read and written under the lane lock. */
export interface LaneState {
  status: 'active' | 'disabled' | 'deleted'
  consecutive_failures: number
}

/** One attempt that has ended, as far as the rules look at it. */
export interface SettledAttempt {
  origin: DeliveryOrigin
  /** 0 is the first attempt of a series. */
  attempt_no: number
  /** `delays_ms[n]` follows attempt n; after the last one the delivery has failed. */
  delays_ms: readonly number[]
  /** Successive lost leases and own errors before this attempt. */
  faults: number
  outcome: 'succeeded' | 'failed' | 'unknown'
  error_class: string | null
  /** Engine time. */
  ended_at_ms: number
}

export type Decision = 'done' | 'retry' | 'exhausted' | 'held' | 'cancelled' | 'repeat'

export interface Verdict {
  /** Whether the attempt raises or resets the counter. */
  counted: boolean
  decision: Decision
  delivery: {
    status: 'succeeded' | 'failed' | 'pending' | 'held' | 'cancelled'
    hold_reason: 'disabled' | 'internal' | null
    attempt_no: number
    next_attempt_at_ms: number | null
    faults: number
  }
  lane: LaneState
  /** The counter has just become `warn_after`. */
  warns: boolean
}

/** Counters from which on failures have consequences. */
export interface FailureLimits {
  disable_after: number
  /** Less than `disable_after`. */
  warn_after: number
}

/** At this many faults a person has to look: the delivery is held, but not because of its receiver. */
export const faults_max = 20

/**
 * The rules of a finished attempt (webhooks.md 3.5 and 4.1). A failure after the last delay disables the subscription
 * when the counter, this failure included, has reached `disable_after`. Simulations, redeliveries and replays neither
 * raise nor reset the counter.
 */
export function settle(attempt: SettledAttempt, lane: LaneState, limits: FailureLimits): Verdict {
  const counted = attempt.origin === 'event' && attempt.outcome !== 'unknown' && lane.status === 'active'
  if (attempt.outcome === 'unknown') return repeat(attempt, lane)
  if (attempt.outcome === 'succeeded') {
    return {
      counted,
      decision: 'done',
      delivery: ended(attempt, 'succeeded'),
      lane: counted ? { ...lane, consecutive_failures: 0 } : lane,
      warns: false,
    }
  }
  const failing = counted ? { ...lane, consecutive_failures: lane.consecutive_failures + 1 } : lane
  const warns = counted && failing.consecutive_failures === limits.warn_after
  const delay_ms = attempt.delays_ms[attempt.attempt_no]
  if (delay_ms !== undefined) {
    const next = wait(attempt.attempt_no + 1, attempt.ended_at_ms + delay_ms, 0, lane, 'retry')
    return { counted, lane: failing, warns, ...next }
  }
  const disables = counted && failing.consecutive_failures >= limits.disable_after
  return {
    counted,
    decision: 'exhausted',
    delivery: ended(attempt, 'failed'),
    lane: disables ? { ...failing, status: 'disabled' } : failing,
    warns,
  }
}

/** Our side cannot tell what happened: the same attempt again, later and later when it is our own fault. */
function repeat({ attempt_no, error_class, faults, ended_at_ms }: SettledAttempt, lane: LaneState): Verdict {
  if (error_class === 'shutdown')
    return { counted: false, lane, warns: false, ...wait(attempt_no, ended_at_ms, faults, lane, 'repeat') }
  const due_at_ms = ended_at_ms + faultDelayMs(faults + 1)
  const again = { counted: false, lane, warns: false, ...wait(attempt_no, due_at_ms, faults + 1, lane, 'repeat') }
  if (faults + 1 < faults_max || lane.status === 'deleted') return again
  const delivery = { ...again.delivery, status: 'held', hold_reason: 'internal', next_attempt_at_ms: null } as const
  return { ...again, decision: 'held', delivery }
}

/** The third fault and those after it wait 2, 4, 8 … 300 seconds. */
export function faultDelayMs(faults: number): number {
  return faults < 3 ? 0 : Math.min(2 ** (faults - 2), 300) * 1_000
}

function ended({ attempt_no }: SettledAttempt, status: 'succeeded' | 'failed'): Verdict['delivery'] {
  return { status, hold_reason: null, attempt_no, next_attempt_at_ms: null, faults: 0 }
}

/** What waiting means for the status of the subscription. */
function wait(
  attempt_no: number,
  due_at_ms: number,
  faults: number,
  { status }: LaneState,
  decision: 'retry' | 'repeat',
): Pick<Verdict, 'decision' | 'delivery'> {
  const waiting = { hold_reason: null, attempt_no, next_attempt_at_ms: null, faults }
  if (status === 'deleted') return { decision: 'cancelled', delivery: { ...waiting, status: 'cancelled' } }
  if (status === 'disabled') {
    return { decision: 'held', delivery: { ...waiting, status: 'held', hold_reason: 'disabled' } }
  }
  return { decision, delivery: { ...waiting, status: 'pending', next_attempt_at_ms: due_at_ms } }
}
