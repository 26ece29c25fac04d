import { randomUUID } from 'node:crypto'
import type { AttemptResult } from '#outbound/attempt-result.ts'
import type { Sender } from '#outbound/sender.ts'
import { sign } from '../signature.ts'
import type { ClaimedRow, LaneRow } from './claim.store.ts'
import type { LaneClass } from './lane.ts'
import type { KeyRing } from './signing-keys.ts'

/** A leased delivery as its finished attempt knows it. */
export interface ClaimedDelivery extends Omit<ClaimedRow, 'body' | 'trace_id'> {
  lease_token: string
  url: string
  /** Under which its attempt went. */
  lane_class?: LaneClass
}

/** A leased delivery with everything an attempt needs. */
export interface Claim extends ClaimedDelivery, ClaimedRow {
  lane: LaneRow
  host: string
}

/** What is recorded of an attempt, whoever ended it. */
export interface EndedAttempt {
  claim: ClaimedDelivery
  id: string
  /** Engine time. */
  started_at_ms: number
  /** Monotonic time of this process. */
  ended_at_ms: number
  request_headers: Record<string, string>
  key_labels: readonly string[]
  result: Omit<AttemptResult, 'error_class'> & { error_class: AttemptResult['error_class'] | 'worker_lost' }
}

export interface AttemptParts {
  sender: Sender
  timeout_ms: number
  user_agent: string
  keysOf: KeyRing
  newId(): string
  /** Engine time. */
  now(): number
  monotonic_ms(): number
}

/** One HTTP request of a delivery: sign the stored bytes, send them, tell what happened. Never rejects. */
export async function attempt(claim: Claim, parts: AttemptParts): Promise<EndedAttempt> {
  const { body, lane, url, host } = claim
  const id = parts.newId()
  const started_at_ms = parts.now()
  try {
    const keys = parts.keysOf(lane)
    const headers = headersOf(claim, keys, parts.user_agent, Math.floor(started_at_ms / 1_000))
    const result = await parts.sender.send({ url, headers, body, deadline_ms: parts.timeout_ms })
    const ended_at_ms = parts.monotonic_ms()
    const request_headers = { host, connection: 'keep-alive', ...headers, 'content-length': `${body.length}` }
    return {
      claim,
      id,
      started_at_ms,
      ended_at_ms,
      request_headers,
      key_labels: keys.map(({ label }) => label),
      result,
    }
  } catch (error) {
    // A fault of our own, such as a sealing key that is missing: repeated, not counted, and other deliveries go on.
    const result = unknownResult('internal', error instanceof Error ? error.message : String(error))
    return { claim, id, started_at_ms, ended_at_ms: parts.monotonic_ms(), request_headers: {}, key_labels: [], result }
  }
}

/** The closed set of headers (webhooks.md 5.2); the sender adds host, connection and content-length. */
function headersOf(
  { body, event_id, lane, trace_id }: Claim,
  keys: ReturnType<KeyRing>,
  user_agent: string,
  timestamp_s: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': user_agent,
    'accept-encoding': 'identity',
    ...sign(body, keys, { event_id, timestamp_s }),
    'x-service-webhook-version': lane.api_version,
    // Without a calling trace the event is one: every attempt of its deliveries belongs to it.
    traceparent: `00-${trace_id ?? event_id.replaceAll('-', '')}-${newSpanId()}-01`,
  }
}

/** 16 digits. Node makes the randomness of many UUIDs at once: 0.5 µs, against 8 µs for bytes by themselves. */
function newSpanId(): string {
  return randomUUID().replaceAll('-', '').slice(-16)
}

const detail_max = 300

/** The result of an attempt of which our side cannot tell what happened. */
export function unknownResult(error_class: 'internal' | 'worker_lost', detail: string): EndedAttempt['result'] {
  return {
    outcome: 'unknown',
    error_class,
    error_phase: null,
    error_detail: detail.slice(0, detail_max),
    response_status: null,
    response_headers: null,
    response_body: null,
    response_cut: null,
    retry_after: null,
    resolved_ip: null,
    tls_version: null,
    connection_reused: false,
    dns_ms: null,
    connect_ms: null,
    tls_ms: null,
    first_byte_ms: null,
    total_ms: 0,
  }
}
