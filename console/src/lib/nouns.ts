/** The nouns of the public API as far as the pages show them. */
export interface Actor {
  kind: string
  id: string | null
  name: string
}

export interface ApiToken {
  id: string
  name: string
  type: 'organization' | 'personal'
  prefix: string
  last4: string
  scopes: string[]
  sensitive_data: string[]
  user_id: string | null
  created_by: Actor
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_address: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  successor_id: string | null
}

export interface SigningKey {
  label: string
  state: 'next' | 'primary' | 'previous' | 'retired'
  created_at: string
  activates_at: string
  retires_at: string | null
  last_used_at: string | null
}

export interface LastError {
  class: string
  response_status: number | null
  detail: string | null
  at: string
  delivery_id: string
}

export interface Webhook {
  id: string
  name: string | null
  description: string | null
  url: string
  events: string[]
  status: 'active' | 'disabled'
  disabled_reason: 'failures' | 'manual' | null
  disabled_at: string | null
  disabled_by: Actor | null
  last_error: LastError | null
  payload: 'full' | 'thin'
  sensitive_data: string[]
  signing_keys: SigningKey[]
  consecutive_failures: number
  disable_risk: {
    threshold: number
    waits_for: string[]
    attempts_left: number | null
    earliest_at: string | null
  } | null
  backlog: { pending: number; held: number; oldest_pending_at: string | null; next_expiry_at: string | null }
  last_attempt_at: string | null
  last_success_at: string | null
  created_at: string
}

export type DeliveryStatus =
  | 'pending'
  | 'sending'
  | 'held'
  | 'succeeded'
  | 'failed'
  | 'discarded'
  | 'cancelled'
  | 'expired'

export interface Delivery {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  is_simulation: boolean
  origin: 'event' | 'simulation' | 'redelivery' | 'replay'
  source_delivery_id: string | null
  replay_id: string | null
  status: DeliveryStatus
  hold_reason: 'disabled' | 'internal' | null
  series: number
  attempt_no: number
  next_attempt_at: string | null
  expires_at: string | null
  last_status: number | null
  last_error_class: string | null
  created_at: string
  updated_at: string
  first_attempt_at: string | null
  completed_at: string | null
  recovered_at: string | null
}

type Headers = Record<string, string | string[]>

export interface Attempt {
  id: string
  series: number
  attempt_no: number
  counted: boolean
  started_at: string
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  total_ms: number | null
  connection_reused: boolean | null
  resolved_ip: string | null
  tls_version: string | null
  url: string
  request_headers: Headers
  key_labels: string[]
  response_status: number | null
  response_headers: Headers | null
  response_body: string | null
  response_text: string | null
  response_cut: 'size' | 'time' | 'closed' | null
  outcome: 'succeeded' | 'failed' | 'unknown'
  error_class: string | null
  error_phase: string | null
  error_detail: string | null
  decision: 'done' | 'retry' | 'exhausted' | 'held' | 'cancelled' | 'repeat' | 'none'
  next_attempt_at: string | null
}

export interface DeliveryWithAttempts extends Delivery {
  body: { text: string; sha256: string } | null
  attempts: Attempt[]
}

export interface EventType {
  name: string
  module: string
  description: string
  json_schema: Record<string, unknown>
  payload_example: Record<string, unknown>
}

export interface EventPayload {
  data: {
    meta: { event_type: string; organization_id: string; event_id: string; occurred_at: string; is_simulation: boolean }
    resource: Record<string, unknown>[]
  }
  timestamp: string
}

export interface EventWithFate {
  event: EventPayload
  recorded_at: string
  request_id: string | null
  subscriptions: {
    webhook_id: string
    name: string | null
    url: string
    status: 'active' | 'disabled' | 'deleted'
    result: 'matched' | 'skipped'
    reason: string | null
    deliveries: Delivery[]
  }[]
}

export interface Replay {
  id: string
  state: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled'
  since: string
  until: string
  statuses: string[]
  matched: number
  created: number
  skipped: number
  created_at: string
  finished_at: string | null
}

/** One permission that a user or the organization gave to an app. */
export interface Grant {
  id: string
  client_id: string
  client_name: string
  user_id: string | null
  redirect_host: string | null
  resource: 'rest' | 'mcp'
  scopes: string[]
  created_at: string
  ends_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}
