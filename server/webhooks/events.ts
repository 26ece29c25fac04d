import { defineEvent } from '#core/operation.ts'
import { Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { LastError } from './subscriptions/subscription.ts'

const SubscriptionState = Type.Object({
  webhook_id: Id,
  url: Type.String(),
  name: Nullable(Type.String()),
  reason: Nullable(Type.Enum(['failures', 'manual'])),
  consecutive_failures: Type.Integer({ minimum: 0 }),
  disabled_at: Nullable(Timestamp),
  last_error: Nullable(LastError),
})

const usual: Static<typeof SubscriptionState> = {
  webhook_id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20',
  url: 'https://receiver.example.org/hooks/stint',
  name: 'Payroll',
  reason: 'failures',
  consecutive_failures: 11,
  disabled_at: '2026-01-13T09:03:00.000Z',
  last_error: {
    class: 'http_5xx',
    response_status: 503,
    detail: 'the receiver answered 503',
    at: '2026-01-13T09:03:00.000Z',
    delivery_id: '019bb16e-ff10-7d52-8b11-6a0c3e9f4d27',
  },
}

const stateEvent = <const Name extends string>(type: Name, summary: string, differs: Partial<typeof usual>) =>
  defineEvent({ type, module: 'platform', summary, entry: SubscriptionState, example: { ...usual, ...differs } })

export const webhookFailing = stateEvent(
  'webhook.failing',
  'Deliveries to a subscription have failed several times in a row; it is not disabled yet.',
  { reason: null, consecutive_failures: 5, disabled_at: null },
)
export const webhookDisabled = stateEvent(
  'webhook.disabled',
  'A subscription was disabled: by a person, or because its receiver failed.',
  {},
)
export const webhookEnabled = stateEvent(
  'webhook.enabled',
  'A disabled subscription was enabled again; what was held is sent or discarded.',
  { reason: null, consecutive_failures: 0, disabled_at: null },
)
