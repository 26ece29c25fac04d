import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Actor } from '#core/caller.ts'
import { type EmittedEvent, type FanOut, recordAudit, recordEvents } from '#core/effects.ts'
import type { Static } from '#core/schema/schema.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Database, Transaction } from '#db/database.ts'
import { type AttemptResult, nothingSeen } from '#outbound/attempt.ts'
import type { Sender } from '#outbound/sender.ts'
import { webhookDisabled, webhookFailing } from '../events.ts'
import { claimDurations, completionBatches } from '../metrics.ts'
import type { WebhookRoom, WebhookSettings } from '../room.ts'
import { openSigningKey, type SigningKey, sign } from '../signature.ts'
import type { LastErrorRow } from '../subscriptions/subscription.ts'
import type { EngineClock } from './clock.ts'
import { attemptLimit, decideOutcome, type Outcome } from './decide-outcome.ts'
import {
  type DueHead,
  type DueRow,
  disableForFailures,
  endLeases,
  insertAttempts,
  type LeasedRow,
  lease_ms,
  leasing,
  lockQueues,
  noteKeyUse,
  prepareEngine,
  type QueueRow,
  recoverSources,
  stillLeased,
  updateDeliveries,
  updateQueues,
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

/** A leased delivery as its attempt is recorded. */
export interface LeasedDelivery extends LeasedRow {
  lease_token: string
  url: string
  /** The class of the slot that its attempt held. */
  queue_class?: QueueClass
}

/** A leased delivery with everything an attempt needs. */
export interface Claim extends LeasedDelivery, DueRow {
  queue: QueueRow
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
  queue: QueueRow | undefined
  /** This attempt disabled its subscription. */
  disabled: boolean
}

/** Result of one transaction of the engine. */
export interface Progress {
  recorded: RecordedAttempt[]
  /** Attempts of queues on which somebody else works; to be recorded later. */
  deferred: EndedAttempt[]
  claims: Claim[]
  answers: { wish: Wish; left: Head[]; is_busy: boolean }[]
  /** The queues looked at, as they are now. */
  queues: QueueRow[]
}

type Queues = Awaited<ReturnType<typeof lockQueues>>

/** An attempt takes up to 30 s and begins with at least this much of its lease left. */
const lease_left_min_ms = 40_000

/**
 * Records finished attempts, then leases due deliveries into the room they left. Doing both in one transaction halves
 * the transactions per delivery, and the claim sees the queues as the results left them.
 */
export async function recordAndClaim(
  parts: Engine,
  ended: readonly EndedAttempt[],
  wishes: readonly Wish[],
): Promise<Progress> {
  const began_at_ms = performance.now()
  const { database, clock } = parts
  const progress = await database.transaction({ role: 'engine', begins_at_once: true }, async (tx) => {
    const prepared = prepareEngine(tx).then(() => clock.observe(tx.now))
    const [done] = await Promise.all([recordAndClaimIn(tx, parts, ended, wishes), prepared])
    return done
  })
  if (lease_ms - (performance.now() - began_at_ms) >= lease_left_min_ms) return progress
  // This process stood still: another one may take the deliveries before their attempts could end.
  await database.transaction({ role: 'engine' }, (tx) => endLeases(tx, progress.claims, 'pending'))
  return { ...progress, claims: [] }
}

export async function recordAndClaimIn(
  tx: Transaction,
  parts: Engine,
  ended: readonly EndedAttempt[],
  wishes: readonly Wish[],
): Promise<Progress> {
  const leases = ended.map(({ claim }) => claim)
  const subscription_ids = [...new Set([...leases, ...wishes].map(({ subscription_id }) => subscription_id))]
  // Sent one behind the other without waiting: the locks are held before the leases are looked at.
  const [queues, leased] = await Promise.all([lockQueues(tx, subscription_ids), stillLeased(tx, leases)])
  const { recorded, deferred } = decideAll(tx, ended, queues, leased, parts)
  const written = recorded.length > 0 ? record(tx, recorded, parts) : Promise.resolve()
  const [claimed] = await Promise.all([claim(tx, wishes, queues, parts), written])
  return { recorded, deferred, ...claimed, queues: [...queues.values()] }
}

/** Leases due deliveries of the wished queues, never more at once than the cap of each over all processes. */
async function claim(
  tx: Transaction,
  wishes: readonly Wish[],
  queues: Queues,
  { in_flight_max, worker }: Engine,
): Promise<Pick<Progress, 'claims' | 'answers'>> {
  if (wishes.length === 0) return { claims: [], answers: [] }
  const stopTimer = claimDurations.startTimer()
  const asked = wishes.flatMap((wish) => askable(wish, queues.get(wish.subscription_id), in_flight_max))
  const lease_token = randomUUID()
  const rows = asked.length > 0 ? await tx.rows<DueRow>(leasing(asked, { token: lease_token, owner: worker })) : []
  const claims = rows.map((row): Claim => {
    const queue = queues.get(row.subscription_id)
    if (!queue) throw new Error('a delivery was leased whose queue is not locked')
    return Object.assign(row, { lease_token, queue, url: queue.url })
  })
  const isListed = ({ queue, event_type }: Claim) => queue.events.includes(event_type)
  // Written by a transaction that still saw the type in the list of the subscription (interface specification 6.1).
  await endLeases(
    tx,
    claims.filter((one) => !isListed(one)),
    'cancelled',
  )
  stopTimer()
  const answers = wishes.map((wish) => answerTo(wish, queues.get(wish.subscription_id), asked, rows))
  return { claims: claims.filter(isListed), answers }
}

function askable({ subscription_id, want, heads }: Wish, queue: ReturnType<Queues['get']>, cap: number): DueHead[] {
  if (!queue?.is_locked || queue.status !== 'active') return []
  return heads
    .map((head) => {
      const room = Math.min(want, attemptLimit(head.attempt_no, queue, cap) - queue.running)
      return { ...head, subscription_id, room }
    })
    .filter(({ room }) => room > 0)
}

/** The heads from which something wished is left; busy if its queue was locked or other processes use its room. */
function answerTo(
  wish: Wish,
  queue: QueueRow | undefined,
  all_asked: readonly DueHead[],
  all_taken: readonly DueRow[],
): Progress['answers'][number] {
  // Due deliveries of a subscription that is disabled or deleted are not ours.
  if (queue?.status !== 'active') return { wish, left: [], is_busy: false }
  const isOwn = ({ subscription_id }: { subscription_id: string }) => subscription_id === wish.subscription_id
  const asked = all_asked.filter(isOwn)
  const taken = all_taken.filter(isOwn)
  const left = wish.heads.flatMap((head) => {
    const { attempt_no } = head
    const room = asked.find((one) => one.attempt_no === attempt_no)?.room
    if (room === undefined) return [head]
    // Those further in their series are taken before.
    if (taken.filter((row) => row.attempt_no >= attempt_no).length < room) return []
    const last = taken.findLast((row) => row.attempt_no === attempt_no)
    return [last ? { attempt_no, due_at_ms: Date.parse(last.next_attempt_at), id: last.id } : head]
  })
  return { wish, left, is_busy: asked.length === 0 }
}

/** One HTTP request of a delivery: sign the stored bytes, send them, tell what happened. Never rejects. */
export async function send(claim: Claim, parts: Engine): Promise<EndedAttempt> {
  const { body, url } = claim
  const attempt = { claim, id: parts.newId(), started_at_ms: parts.clock.now() }
  try {
    const keys = keysOf(claim.queue, parts)
    const headers = headersOf(claim, keys, parts.user_agent, Math.floor(attempt.started_at_ms / 1_000))
    const result = await parts.sender.send({ url, headers, body, deadline_ms: parts.timeout_ms })
    const ended_at_ms = parts.monotonic_ms()
    const connection = { host: URL.parse(url)?.host ?? '', connection: 'keep-alive' }
    const request_headers = { ...connection, ...headers, 'content-length': `${body.length}` }
    return { ...attempt, ended_at_ms, request_headers, key_labels: keys.map(({ label }) => label), result }
  } catch (error) {
    // A fault of our own, such as a sealing key that is missing: repeated, not counted, and other deliveries go on.
    const result = unknownResult('internal', error instanceof Error ? error.message : String(error))
    return { ...attempt, ended_at_ms: parts.monotonic_ms(), request_headers: {}, key_labels: [], result }
  }
}

/** The live signing keys of a queue, the primary one first. */
function keysOf({ subscription_id, labels, sealed_keys }: QueueRow, { secrets }: Engine): SigningKey[] {
  return sealed_keys.map((sealed, index) => {
    const label = labels[index] ?? ''
    return { label, key: openSigningKey(secrets, sealed, subscription_id, label) }
  })
}

/** The closed set of headers (webhooks.md 5.2); the sender adds host, connection and content-length. */
function headersOf(
  { body, event_id, queue, trace_id }: Claim,
  keys: readonly SigningKey[],
  user_agent: string,
  timestamp_s: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': user_agent,
    'accept-encoding': 'identity',
    ...sign(body, keys, { event_id, timestamp_s }),
    'x-service-webhook-version': queue.api_version,
    // Without a calling trace the event is one: every attempt of its deliveries belongs to it. The span has 16 digits
    // of a UUID: Node makes the randomness of many at once, 0.5 µs, against 8 µs for bytes by themselves.
    traceparent: `00-${trace_id ?? event_id.replaceAll('-', '')}-${randomUUID().replaceAll('-', '').slice(-16)}-01`,
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
 * for any number of workers.
 */
function decideAll(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  queues: Queues,
  leased: ReadonlySet<string>,
  parts: Engine,
): Pick<Progress, 'recorded' | 'deferred'> {
  const recorded: RecordedAttempt[] = []
  const deferred: EndedAttempt[] = []
  for (const ended of attempts.toSorted((a, b) => a.ended_at_ms - b.ended_at_ms)) {
    const { claim, result } = ended
    const queue = queues.get(claim.subscription_id)
    if (queue && !queue.is_locked) {
      deferred.push(ended)
      continue
    }
    if (!queue || !leased.has(`${claim.id} ${claim.lease_token}`)) {
      recorded.push({ ended, outcome: null, queue, disabled: false })
      continue
    }
    // Delays run from the end of the failed attempt, which lies as far back as this process has waited since.
    const ended_at_ms = Date.parse(tx.now) - (parts.monotonic_ms() - ended.ended_at_ms)
    const { origin, attempt_no, delay_ms, faults } = claim
    const outcome = decideOutcome({ ...result, origin, attempt_no, delay_ms, faults, ended_at_ms }, queue, parts)
    const after = { ...queue, ...outcome.queue, running: queue.running - 1 }
    queues.set(claim.subscription_id, after)
    recorded.push({ ended, outcome, queue: after, disabled: after.status !== queue.status })
  }
  return { recorded, deferred }
}

/** Writes evidence, deliveries, counters, and what follows from them. */
async function record(tx: Transaction, recorded: readonly RecordedAttempt[], parts: Engine): Promise<void> {
  completionBatches.observe(recorded.length)
  await Promise.all([
    insertAttempts(
      tx,
      recorded.map((row) => attemptRow(row, parts.worker)),
    ),
    updateDeliveries(tx, recorded.flatMap(deliveryRows)),
    updateQueues(tx, queueRows(recorded)),
    recoverSources(tx, recorded.flatMap(recoveredRows)),
    noteKeyUse(tx, keysUsed(recorded)),
  ])
  for (const { ended, outcome, queue, disabled } of recorded) {
    if (queue && outcome?.warns) await tell(tx, webhookFailing, stateOf(queue, ended, null), queue, parts)
    if (queue && disabled) await disable(tx, queue, ended, parts)
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

/** The row of its delivery as the outcome leaves it; none when the lease was gone. */
function deliveryRows({ ended: { claim, result }, outcome }: RecordedAttempt) {
  if (!outcome) return []
  const { organization_id, event_id, id, lease_token } = claim
  const next_attempt_at = timeOf(outcome.delivery.next_attempt_at_ms)
  const last = { last_status: result.response_status, last_error_class: result.error_class }
  return [{ organization_id, event_id, id, lease_token, ...outcome.delivery, next_attempt_at, ...last }]
}

/** The last state of each queue, with the newest times and the newest error; late results change nothing. */
function queueRows(recorded: readonly RecordedAttempt[]) {
  const rows = new Map<string, { last_success_at: string | null; last_error: LastErrorRow | null }>()
  for (const { ended, outcome, queue } of recorded) {
    if (!queue || !outcome) continue
    const { organization_id, subscription_id, limit_halved_at_ms } = queue
    const { consecutive_failures, failing_since, limit_now, success_run, mean_ms } = queue
    const { last_success_at = null, last_error = null } = rows.get(subscription_id) ?? {}
    const last_attempt_at = timeOf(ended.started_at_ms)
    const row = {
      ...{ organization_id, subscription_id, consecutive_failures, failing_since, limit_now, success_run, mean_ms },
      limit_halved_at: timeOf(limit_halved_at_ms),
      last_attempt_at,
      last_success_at: ended.result.outcome === 'succeeded' ? last_attempt_at : last_success_at,
      last_error: ended.result.outcome === 'failed' ? errorOf(ended) : last_error,
    }
    rows.set(subscription_id, row)
  }
  return [...rows.values()]
}

function recoveredRows({ ended: { claim }, outcome }: RecordedAttempt) {
  const { organization_id, event_id, source_delivery_id: id } = claim
  return id && outcome?.decision === 'done' ? [{ organization_id, event_id, id }] : []
}

function keysUsed(recorded: readonly RecordedAttempt[]) {
  const keys = new Map<string, { organization_id: string; label: string }>()
  for (const { ended } of recorded) {
    const { organization_id } = ended.claim
    for (const label of ended.key_labels) keys.set(`${organization_id} ${label}`, { organization_id, label })
  }
  return [...keys.values()]
}

const engine_actor: Actor = { kind: 'system', id: null, name: 'Webhook engine' }

/** The counter's last failure: status, event and audit line in the transaction that counted it. */
async function disable(tx: Transaction, queue: QueueRow, ended: EndedAttempt, parts: Engine): Promise<void> {
  const { organization_id, subscription_id } = queue
  const state = stateOf(queue, ended, tx.now)
  await disableForFailures(tx, queue, state.last_error, engine_actor)
  await tell(tx, webhookDisabled, state, queue, parts)
  await recordAudit(tx, {
    organization_id,
    actor: engine_actor,
    action: 'webhooks.disable',
    subject: { kind: 'webhooks', id: subscription_id },
    changed_fields: ['status'],
  })
}

/** The event entry of a subscription whose attempt has just failed; `disabled_at` when that disabled it. */
function stateOf(
  { subscription_id, url, name, consecutive_failures }: QueueRow,
  ended: EndedAttempt,
  disabled_at: string | null,
): Static<typeof webhookDisabled.entry> {
  const reason = disabled_at === null ? null : ('failures' as const)
  const last_error = errorOf(ended)
  return { webhook_id: subscription_id, url, name, reason, consecutive_failures, disabled_at, last_error }
}

/** An event of the engine, in the transaction that counted the failure. */
async function tell(
  tx: Transaction,
  type: typeof webhookDisabled,
  entry: Static<typeof webhookDisabled.entry>,
  { organization_id }: QueueRow,
  parts: Engine,
): Promise<void> {
  const event: EmittedEvent = { event_id: parts.newId(), type, occurred_at: tx.now, entries: [entry] }
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
