import { oldestDue } from '../metrics/engine-metrics.ts'
import type { Head } from './due.store.ts'
import type { LaneHints } from './lane-hints.ts'

/** How long the oldest due delivery of each class waits, as a sweep has found it. */
export function observeOldest(heads: readonly Head[], hints: LaneHints, now_ms: number): void {
  const oldest_ms = { quick: now_ms, slow: now_ms }
  for (const { subscription_id, next_attempt_at } of heads) {
    const lane_class = hints.classOf(subscription_id)
    oldest_ms[lane_class] = Math.min(oldest_ms[lane_class], Date.parse(next_attempt_at))
  }
  oldestDue.set({ class: 'quick' }, (now_ms - oldest_ms.quick) / 1_000)
  oldestDue.set({ class: 'slow' }, (now_ms - oldest_ms.slow) / 1_000)
}
