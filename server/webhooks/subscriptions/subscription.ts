import { ActorSchema, Id, Nullable, Observed, type Static, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import { payloadModes } from '../event-body.ts'
import type { WebhookSettings } from '../room.ts'
import { SigningKey } from '../signing-keys/signing-key.ts'

export const statuses = ['active', 'disabled'] as const

export const SensitiveList = Type.Array(Type.Enum([...sensitiveCategories]), {
  maxItems: sensitiveCategories.length,
  set: true,
  description: 'Categories of sensitive data that payloads may hold; fields of others are null.',
})

export const Payload = Type.Enum([...payloadModes], {
  description: 'How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`.',
})

/** The last failed attempt. */
export const LastError = Type.Object({
  class: Type.String({ description: 'Error class of the attempt.' }),
  response_status: Nullable(Type.Integer()),
  detail: Nullable(Type.String()),
  at: Timestamp,
  delivery_id: Id,
})

export type LastErrorRow = Static<typeof LastError>

/** The conditions that the disabling of a failing subscription waits for. */
const DisableRisk = Type.Object(
  {
    consecutive_failures: Type.Integer({ minimum: 1, description: 'Failed attempts since the last success.' }),
    threshold: Type.Integer({ description: 'Consecutive failures from which on a last failed attempt disables.' }),
    failing_since: Nullable(Timestamp),
    waits_for: Type.Array(Type.Enum(['more_failures', 'last_attempt']), {
      description:
        'What else has to come: failures up to the threshold, and that some delivery fails in the last attempt of its schedule.',
    }),
    delivery_id: Nullable({
      ...Id,
      description: 'The delivery that is furthest in its schedule; null while none waits for a retry.',
    } as typeof Id),
    attempts_left: Nullable(Type.Integer({ minimum: 0, description: 'Of that delivery, the next one included.' })),
    earliest_at: Nullable({
      ...Timestamp,
      description: 'Due time of its last attempt: the earliest moment at which the subscription can be disabled.',
    } as typeof Timestamp),
  },
  { description: 'While attempts fail: what the disabling of the subscription waits for.' },
)

/** A subscription as every answer shows it; only the answer that creates it adds the signing key. */
export const Subscription = Type.Object({
  id: Id,
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
  url: Type.String(),
  events: Type.Array(Type.String()),
  status: Type.Enum([...statuses]),
  disabled_reason: Nullable(Type.Enum(['failures', 'manual'])),
  disabled_at: Nullable(Timestamp),
  disabled_by: Nullable(ActorSchema),
  last_error: Observed(Nullable(LastError)),
  api_version: Type.String({ description: 'What `x-service-webhook-version` names.' }),
  payload: Payload,
  sensitive_data: SensitiveList,
  signing_keys: Type.Array(SigningKey),
  consecutive_failures: Observed(Type.Integer({ minimum: 0 })),
  disable_risk: Observed(Nullable(DisableRisk)),
  backlog: Observed(
    Type.Object(
      {
        pending: Type.Integer({ minimum: 0 }),
        held: Type.Integer({ minimum: 0 }),
        oldest_pending_at: Nullable(Timestamp),
        next_expiry_at: Nullable(Timestamp),
      },
      { description: 'Deliveries not yet made. Counts end at 10,000.' },
    ),
  ),
  last_attempt_at: Observed(Nullable(Timestamp)),
  last_success_at: Observed(Nullable(Timestamp)),
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** The row as the answer shows it, with the facts that its risk and its backlog are reckoned from. */
export interface SubscriptionRow extends Omit<Static<typeof Subscription>, 'disable_risk' | 'backlog'> {
  failing_since: string | null
  next_to_fail: { delivery_id: string; attempts_left: number; earliest_at: string } | null
  pending: number
  held: number
  oldest_pending_at: string | null
  oldest_held_event_id: string | null
}

/** The fields of a subscription that its owner writes; U1: a longer url is refused before anything looks into it. */
export const WritableFields = {
  url: Type.String({ minLength: 1, maxLength: 2_048, description: 'HTTPS address of the receiver.' }),
  events: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    minItems: 1,
    maxItems: 200,
    set: true,
    description: 'Names of event types, see GET /webhooks/events.',
  }),
  description: Type.Optional(Nullable(Text(0, 500))),
  name: Type.Optional(Nullable(Text(0, 100))),
}

export const SubscriptionPath = { webhook_id: Id }

/** Rights to change and to read webhooks. Bodies of deliveries are not for viewers. */
export const mayWrite = { scopes: ['webhooks:write'], roles: ['owner', 'admin', 'developer'] } as const
export const mayReadBodies = { ...mayWrite, scopes: ['webhooks:read'] } as const
export const mayRead = { scopes: ['webhooks:read'], roles: [...mayWrite.roles, 'viewer'] } as const

const day_ms = 86_400_000

/** When a held delivery of this event expires: `retention_days` after the time part of its UUIDv7. */
export function expiryOf(event_id: string, retention_days: number): string {
  const recorded_ms = Number.parseInt(event_id.slice(0, 8) + event_id.slice(9, 13), 16)
  return new Date(recorded_ms + retention_days * day_ms).toISOString()
}

export function subscriptionOf(
  row: SubscriptionRow,
  { disable_after, retention_days }: Pick<WebhookSettings, 'disable_after' | 'retention_days'>,
): Static<typeof Subscription> {
  const { failing_since, next_to_fail, pending, held, oldest_pending_at, oldest_held_event_id, ...rest } = row
  const next_expiry_at = oldest_held_event_id && expiryOf(oldest_held_event_id, retention_days)
  return {
    ...rest,
    disable_risk: disableRiskOf(row, disable_after),
    backlog: { pending, held, oldest_pending_at, next_expiry_at },
  }
}

function disableRiskOf(row: SubscriptionRow, threshold: number): Static<typeof DisableRisk> | null {
  const { status, consecutive_failures, failing_since, next_to_fail } = row
  if (status !== 'active' || consecutive_failures === 0) return null
  return {
    consecutive_failures,
    threshold,
    failing_since,
    waits_for: consecutive_failures < threshold ? ['more_failures', 'last_attempt'] : ['last_attempt'],
    ...(next_to_fail ?? { delivery_id: null, attempts_left: null, earliest_at: null }),
  }
}
