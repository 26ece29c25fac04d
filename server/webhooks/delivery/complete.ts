import { recordAudit } from '#core/audit.ts'
import type { Actor } from '#core/caller.ts'
import { type EmittedEvent, type FanOut, recordEvents } from '#core/event.ts'
import type { Static } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { webhookDisabled, webhookFailing } from '../events.ts'
import type { RetrySchedules } from '../retry-schedule.ts'
import type { EndedAttempt } from './attempt.ts'
import {
  disableForFailures,
  insertAttempts,
  type LockedLane,
  lockLanes,
  noteKeyUse,
  readLaneStates,
  recoverSources,
  stillLeased,
  updateDeliveries,
  updateLanes,
} from './history.store.ts'
import { type PacedAttempt, paceAfter } from './pace.ts'
import { attemptRow, deliveryUpdate, errorOf, laneUpdates, type RecordedAttempt } from './recorded-rows.ts'
import { type FailureLimits, settle, type Verdict } from './settle.ts'

const engine_actor: Actor = { kind: 'system', id: null, name: 'Webhook engine' }

export interface CompletionParts extends FailureLimits {
  /** Attempts of one subscription that run at once over all processes. */
  in_flight_max: number
  schedules: RetrySchedules
  fanOut: FanOut
  newId(): string
  monotonic_ms(): number
  worker: string
  /** Label by label: whether its use is to be noted now. */
  isKeyUseDue(label: string): boolean
}

export interface Completed {
  recorded: RecordedAttempt[]
  /** Attempts of lanes that somebody else is working on; to be recorded later. */
  deferred: EndedAttempt[]
}

export interface Completion {
  completed: Completed
  /** Settles with the last of the writes, which are sent already. */
  written: Promise<unknown>
}

/**
 * Records finished attempts in one transaction: evidence, deliveries, counters, and what follows from them. Settled in
 * the order in which they ended, under the lane locks, so that "consecutive" means the same for any number of workers.
 */
export async function complete(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  parts: CompletionParts,
  busy: 'wait' | 'skip',
): Promise<Completion> {
  const subscription_ids = [...new Set(attempts.map(({ claim }) => claim.subscription_id))]
  // Sent one behind the other without waiting: the locks are held before the other two look.
  const [locked, lanes, leased] = await Promise.all([
    lockLanes(tx, subscription_ids, busy),
    readLaneStates(tx, subscription_ids),
    stillLeased(tx, attempts),
  ])
  const states = new Map(lanes.map((lane) => [lane.subscription_id, lane]))
  const isDeferred = ({ claim }: EndedAttempt) =>
    !locked.has(claim.subscription_id) && states.has(claim.subscription_id)
  const recorded: RecordedAttempt[] = []
  for (const ended of attempts.filter((one) => !isDeferred(one)).sort((a, b) => a.ended_at_ms - b.ended_at_ms)) {
    const { claim } = ended
    const lane = states.get(claim.subscription_id)
    const applies = lane !== undefined && leased.has(`${claim.id} ${claim.lease_token}`)
    const delays_ms = applies ? await parts.schedules.delaysOf(tx, claim.schedule_id) : []
    const ended_at_ms = engineTimeOf(tx, ended, parts)
    const verdict = applies ? settleOne(ended, ended_at_ms, delays_ms, lane, parts) : null
    const after = lane && verdict ? laneAfter(lane, verdict, { ...ended.result, ended_at_ms }, parts) : lane
    recorded.push({ ended, verdict, lane: after, disabled: lane?.status === 'active' && after?.status === 'disabled' })
    if (after) states.set(claim.subscription_id, after)
  }
  const written = recorded.length > 0 ? write(tx, recorded, parts) : Promise.resolve()
  return { completed: { recorded, deferred: attempts.filter(isDeferred) }, written }
}

/** Delays run from the end of the failed attempt, which lies as far back as this process has waited since. */
function engineTimeOf(tx: Transaction, { ended_at_ms }: EndedAttempt, { monotonic_ms }: CompletionParts): number {
  return Date.parse(tx.now) - (monotonic_ms() - ended_at_ms)
}

function settleOne(
  { claim, result }: EndedAttempt,
  ended_at_ms: number,
  delays_ms: readonly number[],
  lane: LockedLane,
  { disable_after, warn_after }: CompletionParts,
): Verdict {
  const { origin, attempt_no, faults } = claim
  const { outcome, error_class } = result
  const settled = { origin, attempt_no, faults, outcome, error_class, delays_ms, ended_at_ms }
  return settle(settled, lane, { disable_after, warn_after })
}

function laneAfter(
  lane: LockedLane,
  { lane: { status, consecutive_failures } }: Verdict,
  attempt: PacedAttempt,
  { in_flight_max }: CompletionParts,
): LockedLane {
  const began = lane.consecutive_failures === 0 ? new Date(attempt.ended_at_ms).toISOString() : lane.failing_since
  const failing_since = consecutive_failures === 0 ? null : began
  return { ...lane, ...paceAfter(lane, attempt, in_flight_max), status, consecutive_failures, failing_since }
}

async function write(tx: Transaction, recorded: readonly RecordedAttempt[], parts: CompletionParts): Promise<void> {
  const applied = recorded.flatMap(({ ended, verdict }) => (verdict ? [{ ended, verdict }] : []))
  const recovered = applied.flatMap(({ ended: { claim }, verdict }) =>
    claim.source_delivery_id && verdict.decision === 'done' ? [{ ...claim, id: claim.source_delivery_id }] : [],
  )
  const used = keysUsed(recorded, parts)
  await Promise.all([
    insertAttempts(
      tx,
      recorded.map((row) => attemptRow(row, parts.worker)),
    ),
    applied.length > 0 &&
      updateDeliveries(
        tx,
        applied.map(({ ended, verdict }) => deliveryUpdate(ended, verdict)),
      ),
    applied.length > 0 && updateLanes(tx, laneUpdates(recorded)),
    recovered.length > 0 &&
      recoverSources(
        tx,
        recovered.map(({ organization_id, event_id, id }) => ({ organization_id, event_id, id })),
      ),
    used.length > 0 && noteKeyUse(tx, used),
  ])
  for (const { ended, verdict, lane, disabled } of recorded) {
    if (lane && verdict?.warns) await tell(tx, webhookFailing, stateOf(lane, ended, null), lane, parts)
    if (lane && disabled) await disable(tx, lane, ended, parts)
  }
}

/** The counter's last failure: status, event and audit line in the transaction that counted it. */
async function disable(tx: Transaction, lane: LockedLane, ended: EndedAttempt, parts: CompletionParts): Promise<void> {
  const { organization_id, subscription_id } = lane
  const state = stateOf(lane, ended, tx.now)
  await disableForFailures(tx, lane, state.last_error, engine_actor)
  await tell(tx, webhookDisabled, state, lane, parts)
  await recordAudit(tx, {
    organization_id,
    actor: engine_actor,
    credential_id: null,
    action: 'webhooks.disable',
    subject: { kind: 'webhooks', id: subscription_id },
    changed_fields: ['status'],
    request_id: null,
    address: null,
  })
}

/** What the others are told of a subscription whose attempt has just failed; `disabled_at` when that disabled it. */
function stateOf(
  lane: LockedLane,
  ended: EndedAttempt,
  disabled_at: string | null,
): Static<typeof webhookDisabled.entry> {
  const { subscription_id, url, name, consecutive_failures } = lane
  const reason = disabled_at === null ? null : ('failures' as const)
  const last_error = errorOf(ended)
  return { webhook_id: subscription_id, url, name, reason, consecutive_failures, disabled_at, last_error }
}

/** An event of the engine, in the transaction that counted the failure. */
async function tell(
  tx: Transaction,
  type: typeof webhookDisabled,
  entry: Static<typeof webhookDisabled.entry>,
  { organization_id }: LockedLane,
  parts: CompletionParts,
): Promise<void> {
  const event: EmittedEvent = { event_id: parts.newId(), type, occurred_at: tx.now, entries: [entry] }
  await recordEvents(tx, { organization_id, request_id: null, trace_id: null }, [event], parts.fanOut)
}

function keysUsed(recorded: readonly RecordedAttempt[], { isKeyUseDue }: CompletionParts) {
  const keys = new Map<string, { organization_id: string; label: string }>()
  for (const { ended } of recorded) {
    const { organization_id } = ended.claim
    for (const label of ended.key_labels) keys.set(`${organization_id} ${label}`, { organization_id, label })
  }
  return [...keys].flatMap(([key, use]) => (isKeyUseDue(key) ? [use] : []))
}
