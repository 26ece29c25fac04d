import { randomUUID } from 'node:crypto'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { Actor } from '#core/caller.ts'
import { type FanOut, recordAudit, recordEvents } from '#core/effects.ts'
import type { Static } from '#core/schema/schema.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Database, Transaction } from '#db/database.ts'
import { type AttemptResult, nothingSeen } from '#outbound/attempt.ts'
import type { Sender } from '#outbound/sender.ts'
import { webhookDisabled, webhookFailing } from '../events.ts'
import { claimDurations, completionBatches } from '../metrics.ts'
import type { WebhookRoom, WebhookSettings } from '../room.ts'
import { openSigningKey, sign } from '../signature.ts'
import type { LastErrorRow } from '../subscriptions/subscription.ts'
import type { EngineClock } from './clock.ts'
import { attemptLimit, decideOutcome, type Outcome } from './decide-outcome.ts'
import {
  type DueHead,
  type DueRow,
  delivering,
  disableForFailures,
  endDeliveries,
  type LeasedRow,
  lease_ms,
  leasesInto,
  leasing,
  lockQueues,
  noteKeyUse,
  type Queues,
  recordAttempts,
  recoverSources,
  returnLeases,
} from './deliver.store.ts'
import type { Head, QueueClass, Wish } from './schedule.ts'

/**
 * The way of a delivery, from top to bottom: claim → sign → guarded POST → decide the outcome → record attempt, state and
 * counters in one transaction. When that happens and who comes first is not told here: `dispatcher.ts`, `schedule.ts`.
 */

/** The parts of the engine of one process, for everything that works in it. */
export interface Engine extends WebhookSettings, Pick<WebhookRoom, 'catalogue' | 'schedules'> {
  database: Database
  clock: EngineClock
  sender: Sender
  secrets: Secrets
  log: Logger
  fanOut: FanOut
  newId(): string
  /** Time that only moves forward. */
  monotonic_ms(): number
  user_agent: string
  /** Name of this process in the leases that it takes. */
  worker: string
  /** No other process can send from this database: a lease that is not ours belongs to one that has ended. */
  is_alone: boolean
}

type Queue = Parameters<Queues['set']>[1]

/** A leased delivery as its attempt is recorded. */
export interface LeasedDelivery extends LeasedRow {
  url: string
  /** The class of the slot that its attempt held. */
  slot_class?: QueueClass
}

/** A leased delivery with everything an attempt needs. */
export interface Claim extends LeasedDelivery, DueRow {
  queue: Queue
}

/** The record of an attempt, whoever ended it. */
export interface EndedAttempt {
  claim: LeasedDelivery
  id: string
  /** Database time. */
  started_at_ms: number
  /** Monotonic time of this process. */
  ended_at_ms: number
  request_headers: Record<string, string>
  key_labels: readonly string[]
  result: Omit<AttemptResult, 'error_class'> & { error_class: AttemptResult['error_class'] | 'worker_lost' }
}

/** One attempt as it went into the history. */
export interface RecordedAttempt {
  ended: EndedAttempt
  /** Null: the lease was gone, so the result changed nothing. */
  outcome: Outcome | null
  /** As this attempt left it. */
  queue: Queue | undefined
  /** This attempt disabled its subscription. */
  disabled: boolean
}

type Recorded = Awaited<ReturnType<typeof recordAndClaimIn>>

/** Result of one transaction of the engine. */
export type Progress = Awaited<ReturnType<typeof recordAndClaim>>

/** An attempt takes up to 30 s and begins with at least this much of its lease left. */
const lease_left_min_ms = 40_000

/**
 * Records finished attempts, then leases due deliveries into the room they left. Doing both in one transaction halves
 * the transactions per delivery, and the claim sees the queues as the results left them. A claim alone is one packet.
 */
export async function recordAndClaim(parts: Engine, ended: readonly EndedAttempt[], wishes: readonly Wish[]) {
  const began_at_ms = performance.now()
  const { recorded, deferred, asked, ...answered } = await parts.database.transaction(delivering, async (tx) => {
    if (ended.length > 0) return recordAndClaimIn(tx, parts, ended, wishes)
    const nothing: Pick<Recorded, 'recorded' | 'deferred'> = { recorded: [], deferred: [] }
    return { ...nothing, queues: readQueues(tx, parts, wishes), ...claim(tx, parts, wishes) }
  })
  const [queues, rows] = await Promise.all([answered.queues, answered.leased])
  const claims = rows.map((row): Claim => {
    const queue = queues.get(row.subscription_id)
    if (!queue) throw new Error('a delivery was leased whose queue is not locked')
    return Object.assign(row, { queue, url: queue.url })
  })
  const taken_ms = performance.now() - began_at_ms
  if (wishes.length > 0) claimDurations.observe(taken_ms / 1_000)
  const answers = wishes.map((wish) => answerTo(wish, queues.get(wish.subscription_id), asked, rows))
  const is_time_left = lease_ms - taken_ms >= lease_left_min_ms
  return { recorded, deferred, queues, answers, claims: await usable(parts.database, claims, is_time_left) }
}

/** Ends the leases of deliveries that are not to be sent, and answers the others. */
/** Recorded before an enable that discards, and not held by then. Both times have the same form. */
const isDiscarded = ({ queue: { discard_before }, created_at }: Claim) =>
  discard_before !== null && created_at <= discard_before

async function usable(database: Database, claims: readonly Claim[], is_time_left: boolean): Promise<readonly Claim[]> {
  // Written by a transaction that still saw the type in the list of the subscription (interface specification 6.1).
  const unlisted = claims.filter(({ queue, event_type }) => !queue.events.includes(event_type))
  const discarded = claims.filter((claim) => isDiscarded(claim) && !unlisted.includes(claim))
  const ended = [...unlisted, ...discarded]
  if (is_time_left && ended.length === 0) return claims
  const kept = claims.filter((claim) => !ended.includes(claim))
  await database.transaction({ role: 'engine' }, async (tx) => {
    await endDeliveries(tx, leasesInto('cancelled', unlisted))
    await endDeliveries(tx, leasesInto('discarded', discarded))
    // This process stood still: another one may take the deliveries before their attempts could end.
    if (!is_time_left) await returnLeases(tx, kept)
  })
  return is_time_left ? kept : []
}

export async function recordAndClaimIn(
  tx: Transaction,
  parts: Engine,
  ended: readonly EndedAttempt[],
  wishes: readonly Wish[],
) {
  const queues = await readQueues(tx, parts, [...ended.map(({ claim }) => claim), ...wishes])
  const { recorded, deferred } = decideAll(tx, ended, queues, parts)
  await record(tx, recorded, queues, parts)
  const wishes_now = wishes.map((wish) => ({ ...wish, facts: queues.get(wish.subscription_id) }))
  return { recorded, deferred, queues, ...claim(tx, parts, wishes_now) }
}

/** Locks and reads queues, and sets the engine's clock by the answer. */
function readQueues(
  tx: Transaction,
  { clock, monotonic_ms }: Engine,
  concerned: readonly { subscription_id: string }[],
) {
  const asked_at_ms = monotonic_ms()
  const ids = concerned.map(({ subscription_id }) => subscription_id)
  const reading = lockQueues(tx, [...new Set(ids)]).then((queues) => {
    clock.observe(tx.now, asked_at_ms)
    return queues
  })
  // Looked at with the commit, where nobody waits for it before.
  reading.catch(() => undefined)
  return reading
}

/** Sends the claim of what is wished of queues whose facts are known; what they are now, the statement sees for itself. */
function claim(tx: Transaction, { worker, in_flight_max }: Engine, wishes: readonly Wish[]) {
  const asked = wishes.flatMap(({ subscription_id, want, heads, facts }) =>
    heads.flatMap((head): DueHead[] => {
      if (!facts || want === 0) return []
      const { window_size, consecutive_failures } = facts
      const running_max = attemptLimit(head.attempt_no, facts, in_flight_max)
      return [{ ...head, subscription_id, want, running_max, window_size, consecutive_failures }]
    }),
  )
  const lease = { token: randomUUID(), owner: worker }
  return { asked, leased: asked.length > 0 ? tx.send<DueRow>(leasing(asked, lease)) : [] }
}

/** The heads from which something wished is left; busy if its queue was locked or other processes use its room. */
function answerTo(wish: Wish, queue: Queue | undefined, all_asked: readonly DueHead[], all_taken: readonly DueRow[]) {
  // Due deliveries of a subscription that is disabled or deleted are not ours.
  if (queue?.status !== 'active') return { wish, left: [], is_busy: false }
  const isOwn = ({ subscription_id }: { subscription_id: string }) => subscription_id === wish.subscription_id
  const asked = all_asked.filter(isOwn)
  const taken = all_taken.filter(isOwn)
  // Another process has changed its window: nothing was taken, and the next turn knows it.
  const isAsBelieved = ({ window_size, consecutive_failures }: DueHead) =>
    window_size === queue.window_size && consecutive_failures === queue.consecutive_failures
  if (!asked.every(isAsBelieved)) return { wish, left: wish.heads, is_busy: false }
  const rooms = new Map(
    asked.map(({ attempt_no, want, running_max }) => {
      return [attempt_no, queue.is_locked ? Math.min(want, running_max - queue.leases.size) : 0]
    }),
  )
  const left = wish.heads.flatMap((head): Head[] => {
    const { attempt_no } = head
    // Those further in their series are taken before.
    if (taken.filter((row) => row.attempt_no >= attempt_no).length < (rooms.get(attempt_no) ?? 0)) return []
    const last = taken.findLast((row) => row.attempt_no === attempt_no)
    return [last ? { attempt_no, due_at_ms: Date.parse(last.next_attempt_at), id: last.id } : head]
  })
  return { wish, left, is_busy: wish.want > 0 && rooms.values().every((room) => room <= 0) }
}

/** One HTTP request of a delivery: sign the stored bytes, send them, tell what happened. Never rejects. */
export async function send(claim: Claim, parts: Engine): Promise<EndedAttempt> {
  const { body, url } = claim
  const attempt = { claim, id: parts.newId(), started_at_ms: parts.clock.now() }
  const span = spanOf(claim)
  try {
    const headers = signedHeaders(claim, parts, Math.floor(attempt.started_at_ms / 1_000), span)
    const result = await parts.sender.send({ url, headers, body, deadline_ms: parts.timeout_ms })
    const ended_at_ms = parts.monotonic_ms()
    if (result.error_class)
      span.setAttribute('error.type', result.error_class).setStatus({ code: SpanStatusCode.ERROR })
    const connection = { host: URL.parse(url)?.host ?? '', connection: 'keep-alive' }
    const request_headers = { ...connection, ...headers, 'content-length': `${body.length}` }
    return { ...attempt, ended_at_ms, request_headers, key_labels: claim.queue.keys.map(({ label }) => label), result }
  } catch (error) {
    // A fault of our own, such as a sealing key that is missing: repeated, not counted, and other deliveries go on.
    const result = unknownResult('internal', error instanceof Error ? error.message : String(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
    return { ...attempt, ended_at_ms: parts.monotonic_ms(), request_headers: {}, key_labels: [], result }
  } finally {
    span.end()
  }
}

const tracer = trace.getTracer('stint')

/** Without a calling trace the event is one: every attempt of its deliveries belongs to it. */
const traceOf = ({ trace_id, event_id }: Claim) => trace_id ?? event_id.replaceAll('-', '')

/** The span of an attempt, told to an OpenTelemetry SDK where one is loaded. */
function spanOf(claim: Claim): Span {
  const traceId = traceOf(claim)
  // The span that caused the event is not known any more: half of the trace id stands for it.
  const caused_by = { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true }
  const attributes = { 'stint.event_type': claim.event_type, 'stint.delivery_id': claim.id }
  const options = { kind: SpanKind.CLIENT, attributes }
  return tracer.startSpan('webhook attempt', options, trace.setSpanContext(ROOT_CONTEXT, caused_by))
}

/**
 * The id of a span, or 16 digits of a UUID without a trace: Node makes the randomness of many UUIDs at once, 0.5 µs each,
 * against 8 µs for bytes by themselves.
 */
const spanIdOf = (span: Span) =>
  span.isRecording() ? span.spanContext().spanId : randomUUID().replaceAll('-', '').slice(-16)

/** The closed set of headers (webhooks.md 5.2); the sender adds host, connection and content-length. */
function signedHeaders(
  claim: Claim,
  { secrets, user_agent }: Engine,
  timestamp_s: number,
  span: Span,
): Record<string, string> {
  const { body, event_id, queue, subscription_id } = claim
  const keys = queue.keys.map(({ label, sealed }) => ({
    label,
    key: openSigningKey(secrets, Buffer.from(sealed, 'base64'), subscription_id, label),
  }))
  return {
    'content-type': 'application/json',
    'user-agent': user_agent,
    'accept-encoding': 'identity',
    ...sign(body, keys, { event_id, timestamp_s }),
    'x-service-webhook-version': queue.api_version,
    traceparent: `00-${traceOf(claim)}-${spanIdOf(span)}-01`,
  }
}

const detail_characters_max = 300

/** The result of an attempt of which our side cannot tell what happened. */
export function unknownResult(error_class: 'internal' | 'worker_lost', detail: string): EndedAttempt['result'] {
  const error_detail = detail.slice(0, detail_characters_max)
  return { ...nothingSeen(), outcome: 'unknown', error_class, error_detail }
}

/**
 * Decides in the order in which attempts ended, under the locks of their queues, so that "consecutive" means the same
 * for any number of workers. Attempts of queues on which somebody else works are left for later.
 */
function decideAll(tx: Transaction, attempts: readonly EndedAttempt[], queues: Queues, parts: Engine) {
  const recorded: RecordedAttempt[] = []
  const deferred: EndedAttempt[] = []
  for (const ended of attempts.toSorted((a, b) => a.ended_at_ms - b.ended_at_ms)) {
    const { id, subscription_id, lease_token, origin, attempt_no, delay_ms, faults } = ended.claim
    const queue = queues.get(subscription_id)
    if (queue && !queue.is_locked) deferred.push(ended)
    else if (!queue?.leases.delete(`${id} ${lease_token}`))
      recorded.push({ ended, outcome: null, queue, disabled: false })
    else {
      // Delays run from the end of the failed attempt, which lies as far back as this process has waited since.
      const ended_at_ms = Date.parse(tx.now) - (parts.monotonic_ms() - ended.ended_at_ms)
      const facts = { ...ended.result, origin, attempt_no, delay_ms, faults, ended_at_ms }
      const outcome = decideOutcome(facts, queue, parts)
      const after = { ...queue, ...outcome.queue }
      queues.set(subscription_id, after)
      recorded.push({ ended, outcome, queue: after, disabled: after.status !== queue.status })
    }
  }
  return { recorded, deferred }
}

/** Writes evidence, deliveries, counters, and what follows from them. */
async function record(tx: Transaction, recorded: readonly RecordedAttempt[], queues: Queues, parts: Engine) {
  if (recorded.length === 0) return
  completionBatches.observe(recorded.length)
  const applied = recorded.filter(({ outcome }) => outcome !== null)
  const attempts = recorded.map((row) => attemptRow(row, parts.worker))
  const rows = { attempts, deliveries: applied.map(deliveryRow), queues: queueRows(applied, queues) }
  recordAttempts(tx, rows)
  recoverSources(tx, applied.flatMap(recoveredRow))
  noteKeyUse(tx, applied.flatMap(keysUsed))
  for (const { ended, outcome, queue, disabled } of applied) {
    if (queue && outcome?.warns) await tell(tx, webhookFailing, queue, ended, parts)
    if (!queue || !disabled) continue
    // The counter's last failure: status, event and audit line in the transaction that counted it.
    const { organization_id, subscription_id: id } = queue
    await disableForFailures(tx, queue, errorOf(ended), engine_actor)
    await tell(tx, webhookDisabled, queue, ended, parts)
    const subject = { kind: 'webhooks', id }
    const action = { action: 'webhooks.disable', subject, changed_fields: ['status'] }
    recordAudit(tx, { organization_id, actor: engine_actor, ...action })
  }
}

/** The evidence of one attempt, as its row. */
function attemptRow({ ended, outcome }: RecordedAttempt, worker: string) {
  const { claim, id, started_at_ms, request_headers, key_labels, result } = ended
  const { organization_id, event_id, subscription_id, series, attempt_no, url } = claim
  return {
    ...result,
    response_body: result.response_body && `\\x${result.response_body.toString('hex')}`,
    ...{ organization_id, event_id, id, delivery_id: claim.id, subscription_id, series, attempt_no, url, worker },
    counted: outcome?.counted ?? false,
    started_at: timeOf(started_at_ms),
    request_headers,
    key_labels,
    decision: outcome?.decision ?? 'none',
    next_attempt_at: timeOf(outcome?.delivery.next_attempt_at_ms ?? null),
    applied: outcome !== null,
  }
}

/** The row of its delivery as the outcome leaves it. */
function deliveryRow({ ended: { claim, result }, outcome }: RecordedAttempt) {
  const { organization_id, event_id, id, lease_token } = claim
  const next_attempt_at = timeOf(outcome?.delivery.next_attempt_at_ms ?? null)
  const last = { last_status: result.response_status, last_error_class: result.error_class }
  return { organization_id, event_id, id, lease_token, ...outcome?.delivery, next_attempt_at, ...last }
}

/** The last state of each queue, with the newest times and the newest error. */
function queueRows(applied: readonly RecordedAttempt[], queues: Queues) {
  const newest = new Map<string, object>()
  for (const { ended } of applied) {
    const { outcome } = ended.result
    const last_attempt_at = timeOf(ended.started_at_ms)
    newest.set(ended.claim.subscription_id, {
      ...newest.get(ended.claim.subscription_id),
      last_attempt_at,
      ...(outcome === 'succeeded' && { last_success_at: last_attempt_at }),
      ...(outcome === 'failed' && { last_error: errorOf(ended) }),
    })
  }
  return [...newest].map(([id, times]) => {
    const { organization_id, consecutive_failures, failing_since, window_size, window_halved_at, is_quick } =
      queues.get(id) ?? {}
    return {
      ...{ organization_id, subscription_id: id, consecutive_failures, failing_since },
      ...{ window_size, window_halved_at, is_quick, ...times },
    }
  })
}

function recoveredRow({ ended: { claim }, outcome }: RecordedAttempt) {
  const { organization_id, event_id, source_delivery_id: id } = claim
  return id && outcome?.decision === 'done' ? [{ organization_id, event_id, id }] : []
}

function keysUsed({ ended, queue }: RecordedAttempt) {
  if (!queue?.is_use_due) return []
  return ended.key_labels.map((label) => ({ organization_id: queue.organization_id, label }))
}

const engine_actor: Actor = { kind: 'system', id: null, name: 'Webhook engine' }

/** The event of a subscription whose attempt has just failed, in the transaction that counted the failure. */
async function tell(tx: Transaction, type: typeof webhookDisabled, queue: Queue, ended: EndedAttempt, parts: Engine) {
  const { organization_id, subscription_id: webhook_id, url, name, consecutive_failures } = queue
  const is_disabled = type === webhookDisabled
  const why = { reason: is_disabled ? ('failures' as const) : null, disabled_at: is_disabled ? tx.now : null }
  const last_error = errorOf(ended)
  const entry: Static<typeof type.entry> = { webhook_id, url, name, consecutive_failures, last_error, ...why }
  const event = { event_id: parts.newId(), type, occurred_at: tx.now, entries: [entry] }
  await recordEvents(tx, { organization_id, request_id: null, trace_id: null }, [event], parts.fanOut)
}

/** The last error that a subscription shows; null after a success. */
function errorOf({ claim, started_at_ms, result }: EndedAttempt): LastErrorRow | null {
  if (result.error_class === null) return null
  const { error_class, response_status, error_detail } = result
  const at = new Date(started_at_ms).toISOString()
  return { class: error_class, response_status, detail: error_detail, at, delivery_id: claim.id }
}

const timeOf = (at_ms: number | null): string | null => (at_ms === null ? null : new Date(at_ms).toISOString())
