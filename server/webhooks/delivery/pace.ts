import type { AttemptResult } from '#outbound/attempt-result.ts'

/** What a receiver can take, as its attempts have shown; kept on the lane, so that all processes go by it. */
export interface Pace {
  /** Initial attempts that may run at once; null: as many as the cap. */
  limit_now: number | null
  /** Engine time. */
  limit_halved_at_ms: number | null
  /** Successes in a row since the limit was last changed. */
  success_run: number
  /** Mean duration of an attempt, the newest weighing most; null before the first. */
  mean_ms: number | null
}

/** What of an attempt tells of its receiver's pace. */
export interface PacedAttempt extends Pick<AttemptResult, 'outcome' | 'response_status' | 'total_ms'> {
  error_class: string | null
  /** Engine time. */
  ended_at_ms: number
}

const halve_every_ms = 10_000
const successes_per_step = 20
const newest_weight = 0.2
/** From this many failures in a row on, a receiver is only probed. */
export const failing_from = 5
/** A receiver that takes longer, in the mean or with an attempt under way, is slow. */
export const slow_from_ms = 5_000

/**
 * The adaptive limit (webhooks.md 8.2): a receiver that says 429 or does not answer in time gets half as many initial
 * attempts at once, and one more for every 20 successes in a row. What our side cannot tell says nothing of it.
 */
export function paceAfter(pace: Pace, attempt: PacedAttempt, cap: number): Pace {
  const { outcome, error_class, response_status, total_ms, ended_at_ms } = attempt
  if (outcome === 'unknown') return pace
  const mean_ms = pace.mean_ms === null ? total_ms : pace.mean_ms + newest_weight * (total_ms - pace.mean_ms)
  const limit = Math.min(pace.limit_now ?? cap, cap)
  if (outcome === 'succeeded') {
    const success_run = pace.limit_now === null ? 0 : pace.success_run + 1
    if (success_run < successes_per_step) return { ...pace, success_run, mean_ms }
    return { ...pace, limit_now: limit + 1 < cap ? limit + 1 : null, success_run: 0, mean_ms }
  }
  const is_overloaded = response_status === 429 || error_class === 'timeout'
  if (!is_overloaded || !mayHalve(pace, ended_at_ms)) return { ...pace, success_run: 0, mean_ms }
  return { limit_now: Math.max(1, Math.floor(limit / 2)), limit_halved_at_ms: ended_at_ms, success_run: 0, mean_ms }
}

/** Attempts that ran side by side tell of one overload, not of several. A clock that was put back must not bind. */
function mayHalve({ limit_halved_at_ms }: Pace, now_ms: number): boolean {
  return limit_halved_at_ms === null || Math.abs(now_ms - limit_halved_at_ms) >= halve_every_ms
}

/** Initial attempts of a lane that may run at once. */
export function initialLimit(
  { limit_now, consecutive_failures }: { limit_now: number | null; consecutive_failures: number },
  cap: number,
): number {
  return consecutive_failures >= failing_from ? 1 : Math.min(limit_now ?? cap, cap)
}
