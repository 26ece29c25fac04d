import type { LastErrorRow } from '../subscriptions/subscription.ts'
import type { EndedAttempt } from './attempt.ts'
import type { AttemptRow, DeliveryUpdate, LaneUpdate, LockedLane } from './history.store.ts'
import type { Verdict } from './settle.ts'

/** How one attempt went into the history. */
export interface RecordedAttempt {
  ended: EndedAttempt
  /** Null: the lease was gone, so the result changed nothing. */
  verdict: Verdict | null
  lane: LockedLane | undefined
  /** This attempt disabled its subscription. */
  disabled: boolean
}

/** The evidence of one attempt, as its row. */
export function attemptRow({ ended, verdict }: RecordedAttempt, worker: string): AttemptRow {
  const { claim, id, started_at_ms, request_headers, key_labels, result } = ended
  const { organization_id, event_id, subscription_id, series, attempt_no, url } = claim
  const next_ms = verdict?.delivery.next_attempt_at_ms
  return {
    ...result,
    response_body: result.response_body?.toString('base64') ?? null,
    organization_id,
    event_id,
    id,
    delivery_id: claim.id,
    subscription_id,
    series,
    attempt_no,
    counted: verdict?.counted ?? false,
    started_at: timeOf(started_at_ms),
    url,
    request_headers,
    key_labels,
    decision: verdict?.decision ?? 'none',
    next_attempt_at: next_ms ? timeOf(next_ms) : null,
    worker,
    applied: verdict !== null,
  }
}

/** How its delivery goes on. */
export function deliveryUpdate({ claim, result }: EndedAttempt, { delivery }: Verdict): DeliveryUpdate {
  const { next_attempt_at_ms, ...rest } = delivery
  return {
    ...rest,
    organization_id: claim.organization_id,
    event_id: claim.event_id,
    id: claim.id,
    lease_token: claim.lease_token,
    next_attempt_at: next_attempt_at_ms === null ? null : timeOf(next_attempt_at_ms),
    last_status: result.response_status,
    last_error_class: result.error_class,
    is_final: delivery.status !== 'pending' && delivery.status !== 'held',
  }
}

/** The last state of each lane, with the newest times and the newest error of the batch; late results change nothing. */
export function laneUpdates(recorded: readonly RecordedAttempt[]): LaneUpdate[] {
  const updates = new Map<string, LaneUpdate>()
  for (const { ended, verdict, lane } of recorded) {
    if (!lane || !verdict) continue
    const { organization_id, subscription_id, consecutive_failures, failing_since } = lane
    const { limit_now, success_run, mean_ms } = lane
    const before = updates.get(subscription_id)
    const at = timeOf(ended.started_at_ms)
    updates.set(subscription_id, {
      organization_id,
      subscription_id,
      consecutive_failures,
      failing_since,
      limit_now,
      limit_halved_at: lane.limit_halved_at_ms === null ? null : timeOf(lane.limit_halved_at_ms),
      success_run,
      mean_ms,
      last_attempt_at: at,
      last_success_at: ended.result.outcome === 'succeeded' ? at : (before?.last_success_at ?? null),
      last_error: ended.result.outcome === 'failed' ? errorOf(ended) : (before?.last_error ?? null),
    })
  }
  return [...updates.values()]
}

/** What a subscription shows as its last error. */
export function errorOf({ claim, started_at_ms, result }: EndedAttempt): LastErrorRow | null {
  if (result.error_class === null) return null
  const { error_class, response_status, error_detail } = result
  return { class: error_class, response_status, detail: error_detail, at: timeOf(started_at_ms), delivery_id: claim.id }
}

function timeOf(at_ms: number): string {
  return new Date(at_ms).toISOString()
}
