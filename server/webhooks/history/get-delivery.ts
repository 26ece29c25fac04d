import { holdsScope } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { categoriesOf } from '../event-body.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { SubscriptionPath } from '../subscriptions/subscription.ts'
import { Delivery, deliveryOf } from './delivery.ts'
import { type AttemptRecordRow, findAttempts, findBody, findDelivery } from './history.store.ts'

const Milliseconds = (description: string) => Nullable(Type.Number({ minimum: 0, description }))
const Headers = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), { description })

/** One HTTP request of a delivery with all its evidence. */
const AttemptRecord = Type.Object({
  id: Id,
  series: Type.Integer({ minimum: 1 }),
  attempt_no: Type.Integer({ minimum: 0 }),
  counted: Type.Boolean({ description: 'Whether it counts towards disabling the subscription.' }),
  started_at: Timestamp,
  dns_ms: Milliseconds('Looking up the addresses.'),
  connect_ms: Milliseconds('Connecting to the address contacted last.'),
  tls_ms: Milliseconds('TLS handshake.'),
  first_byte_ms: Milliseconds('From the start to the first byte of the answer.'),
  total_ms: Milliseconds('From the start to the end.'),
  connection_reused: Nullable(Type.Boolean()),
  resolved_ip: Nullable(Type.String({ description: 'Address contacted last; null if nothing was contacted.' })),
  tls_version: Nullable(Type.String()),
  url: Type.String(),
  request_headers: Headers('As sent. Signatures are shortened for callers without webhooks:write.'),
  key_labels: Type.Array(Type.String(), { description: 'Signing keys used, the primary one first.' }),
  response_status: Nullable(Type.Integer()),
  response_headers: Nullable(Headers('As received.')),
  response_body: Nullable(Type.String({ description: 'Base64 of at most 16 KiB.' })),
  response_text: Nullable(Type.String({ description: 'The same as text, when it is valid UTF-8.' })),
  response_cut: Nullable(
    Type.Enum(['size', 'time', 'closed'], { description: 'Why the answer body is not all of it.' }),
  ),
  retry_after: Nullable(Type.String({ description: 'As received; without influence on the schedule.' })),
  outcome: Type.Enum(['succeeded', 'failed', 'unknown']),
  error_class: Nullable(Type.String()),
  error_phase: Nullable(Type.String()),
  error_detail: Nullable(Type.String()),
  decision: Type.Enum(['done', 'retry', 'exhausted', 'held', 'cancelled', 'repeat', 'none']),
  next_attempt_at: Nullable(Timestamp),
  worker: Type.String(),
  applied: Type.Boolean({ description: 'False for a result that came after another worker had taken over.' }),
})

export const getDelivery = defineOperation({
  id: 'webhooks.get_delivery',
  summary: 'Get a delivery with its body and all attempts',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({ ...SubscriptionPath, delivery_id: Id }),
  output: Type.Object({
    ...Delivery.properties,
    body: Nullable(
      Type.Object(
        { text: Type.String(), sha256: Type.String() },
        { description: 'The exact bytes; null when they hold a category that the caller was not granted.' },
      ),
    ),
    attempts: Type.Array(AttemptRecord, { description: 'Oldest first.' }),
  }),

  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller.organization_id, webhook_id),

  async handle({ webhook_id, delivery_id }, { caller, tx, rooms: { webhooks } }) {
    const { organization_id, sensitive_data } = caller
    const row = await findDelivery(tx, organization_id, webhook_id, delivery_id)
    if (!row) throw notFound()
    const [attempts, stored] = await Promise.all([
      findAttempts(tx, organization_id, row),
      findBody(tx, organization_id, row.id, row.event_id),
    ])
    const is_granted = stored && categoriesOf(stored.rendering).every((category) => sensitive_data.has(category))
    const shows_signatures = holdsScope(caller, 'webhooks:write')
    return {
      ...deliveryOf(row, webhooks.settings.retention_days),
      body: is_granted ? { text: stored.body.toString(), sha256: stored.sha256.toString('hex') } : null,
      attempts: attempts.map((attempt) => attemptRecordOf(attempt, shows_signatures)),
    }
  },
})

const signature_headers = ['x-service-signature', 'webhook-signature']
const signature_shown_max = 12

/** Whoever may not write webhooks sees that a request was signed, not the signature. */
function attemptRecordOf(row: AttemptRecordRow, shows_signatures: boolean): Static<typeof AttemptRecord> {
  return {
    ...row,
    request_headers: shows_signatures ? row.request_headers : shortened(row.request_headers),
    response_body: row.response_body?.toString('base64') ?? null,
    response_text: row.response_body && textOf(row.response_body),
  }
}

function shortened(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) =>
    signature_headers.includes(name) ? [name, `${value.slice(0, signature_shown_max)}…`] : [name, value],
  )
  return Object.fromEntries(entries)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    // Not UTF-8: base64 shows it.
    return null
  }
}
