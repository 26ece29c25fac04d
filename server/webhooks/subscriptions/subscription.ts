import type { Actor, Tenant } from '#core/caller.ts'
import { anyOf } from '#core/filters.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import { ActorSchema, Id, Nullable, Observed, type Static, Text, Timestamp, Type } from '#core/schema/schema.ts'
import type { Sql, Transaction } from '#db/database.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import { payloadModes } from '../event-body.ts'
import type { WebhookSettings } from '../room.ts'
import { SigningKey } from '../signing-keys/signing-key.ts'
import {
  held,
  last_error,
  lockQueueOf,
  next_to_fail,
  oldest_held_event_id,
  oldest_pending_at,
  pending,
  recordRevision,
  signing_keys,
  undeleted,
  with_queue,
} from './subscription.store.ts'

/** The last failed attempt. */
export const LastError = Type.Object({
  class: Type.String({ description: 'Error class of the attempt.', example: 'connect_timeout' }),
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

const Payload = Type.Enum([...payloadModes], {
  description: 'How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`.',
})
const Count = Type.Integer({ minimum: 0 })

/** The wish of an organization to receive some events; only the answer that creates it adds the signing key. */
export const subscription = defineResource({
  name: 'webhook',
  table: 'webhook_subscriptions',
  only: undeleted,
  joins: with_queue,
  fields: {
    id: { type: Id, ...server },
    name: { type: Text(0, 100), nullable: true, example: 'Payroll' },
    description: { type: Text(0, 500), nullable: true },
    // U1: a longer url is refused before anything looks into it.
    url: {
      type: Type.String({ minLength: 1, maxLength: 2_048, description: 'HTTPS address of the receiver.' }),
      required: true,
      example: 'https://receiver.example.org/hooks/stint',
    },
    events: {
      type: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 200,
        set: true,
        description: 'Names of event types, see GET /webhooks/events.',
      }),
      shown: Type.Array(Type.String()),
      required: true,
      example: ['contract.created', 'contract.signed'],
    },
    status: { type: Type.Enum(['active', 'disabled']), default: 'active' },
    disabled_reason: { type: Type.Enum(['failures', 'manual']), ...noted },
    disabled_at: { type: Timestamp, ...noted },
    disabled_by: { type: ActorSchema, ...noted },
    last_error: { type: Observed(Nullable(LastError)), read_from: last_error, initial: null },
    api_version: {
      type: Type.String({ description: 'What `x-service-webhook-version` names.' }),
      ...server,
      example: 'v2',
    },
    payload: { type: Payload, shown: Payload, default: 'full' },
    sensitive_data: {
      type: Type.Array(Type.Enum([...sensitiveCategories]), {
        maxItems: sensitiveCategories.length,
        set: true,
        description: 'Categories of sensitive data that payloads may hold; fields of others are null.',
      }),
      default: [],
    },
    signing_keys: { type: Type.Array(SigningKey), read_from: signing_keys, initial: [] },
    consecutive_failures: { type: Observed(Count), read_from: 'l.consecutive_failures', initial: 0 },
    disable_risk: { type: Observed(Nullable(DisableRisk)), computed: true },
    backlog: {
      type: Observed(
        Type.Object(
          {
            pending: { ...Count, description: 'Waiting for their next attempt, or under way.' } as typeof Count,
            held: Count,
            oldest_pending_at: Nullable(Timestamp),
            next_expiry_at: Nullable(Timestamp),
          },
          { description: 'Deliveries not yet made. Counts end at 10,000.' },
        ),
      ),
      computed: true,
    },
    last_attempt_at: { type: Observed(Nullable(Timestamp)), read_from: 'l.last_attempt_at', initial: null },
    last_success_at: { type: Observed(Nullable(Timestamp)), read_from: 'l.last_success_at', initial: null },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    created_by: { type: ActorSchema },
    revision: { type: Count, initial: 1 },
    disabled_error: { type: LastError, nullable: true },
    failing_since: { type: Timestamp, nullable: true, read_from: 'l.failing_since' },
    next_to_fail: {
      type: Type.Object({ delivery_id: Id, attempts_left: Count, earliest_at: Timestamp }),
      nullable: true,
      read_from: next_to_fail,
    },
    pending: { type: Count, read_from: pending, initial: 0 },
    held: { type: Count, read_from: held, initial: 0 },
    oldest_pending_at: { type: Timestamp, nullable: true, read_from: oldest_pending_at },
    oldest_held_event_id: { type: Id, nullable: true, read_from: oldest_held_event_id },
  },
  filters: { statuses: anyOf('status', 'Any of these statuses.') },
})

export const Subscription = subscription.answer
export type SubscriptionRow = RowFrom<typeof subscription>
export const SubscriptionPath = subscription.path

/** Throws `not_found` for a subscription that was never there or is deleted. */
export function readSubscription(tx: Transaction, { organization_id }: Tenant, id: string): Promise<SubscriptionRow> {
  return subscription.get(tx, { organization_id, id })
}

/** Reads the subscription for a change, its queue locked first. */
export async function lockSubscription(tx: Transaction, tenant: Tenant, id: string): Promise<SubscriptionRow> {
  await lockQueueOf(tx, tenant, id)
  return readSubscription(tx, tenant, id)
}

/** Every change that a caller makes of what a subscription is goes through here, with its queue locked. */
export async function saveSubscription(
  tx: Transaction,
  before: SubscriptionRow,
  change: Partial<SubscriptionRow>,
  by: Actor,
  also: readonly Sql[] = [],
): Promise<SubscriptionRow> {
  const after = await subscription.save(tx, before, { ...before, ...change, revision: before.revision + 1 }, also)
  await recordRevision(tx, before.organization_id, before.id, by)
  return after
}

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

/** Shows a subscription as every answer does. */
export function subscriptionOf(
  row: SubscriptionRow,
  { disable_after, retention_days }: Pick<WebhookSettings, 'disable_after' | 'retention_days'>,
): Static<typeof Subscription> {
  const { pending, held, oldest_pending_at, oldest_held_event_id, failing_since, next_to_fail, ...rest } = row
  const { organization_id: _, created_by: __, revision: ___, disabled_error: ____, ...shown } = rest
  const next_expiry_at = oldest_held_event_id && expiryOf(oldest_held_event_id, retention_days)
  return {
    ...shown,
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
