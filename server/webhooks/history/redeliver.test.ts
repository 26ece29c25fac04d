import { cases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { subscribed } from '#test/subscribed.ts'

/** A subscription with one delivery that waits to be sent, or is held. */
const delivered =
  (fields: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) =>
  async (t: TestService): Promise<Body> => {
    const made = await subscribed(fields)(t)
    await t.call('POST', '/api-tokens', { body: { name: 'Payroll export', scopes: ['contracts:read'] } })
    const { body } = await t.call('GET', `/webhooks/${made.id}/deliveries`)
    await t.call('PATCH', `/webhooks/${made.id}`, { body: changes })
    return { ...made, delivery_id: body.data[0].id }
  }

cases('webhooks.redeliver', {
  'a redelivery is a delivery of its own that names its source': {
    given: delivered(),
    body: ({ webhook_id, delivery_id }) => ({
      webhook_id,
      origin: 'redelivery',
      source_delivery_id: delivery_id,
      status: 'pending',
    }),
    audit: {},
  },
  'a disabled subscription is sent nothing': {
    given: delivered({}, { status: 'disabled' }),
    answers: '409 subscription_disabled',
  },
  'a type that is no longer listed is not sent': {
    given: delivered({}, { events: ['api-token.revoked'] }),
    answers: '422 not_subscribed',
  },
  'what is held is not sent beside': {
    given: delivered({ status: 'disabled' }, { status: 'active' }),
    answers: '409 delivery_busy',
  },
})

cases('webhooks.simulate', {
  'a simulation is a delivery of the example, marked as one': {
    given: subscribed(),
    input: { event_type: 'api-token.created' },
    body: ({ webhook_id }) => ({ webhook_id, origin: 'simulation', is_simulation: true, status: 'pending' }),
    audit: {},
  },
  'a type that is not listed is refused': {
    given: subscribed(),
    input: { event_type: 'api-token.revoked' },
    answers: '422 not_subscribed',
  },
  'a disabled subscription takes none': {
    given: subscribed({ status: 'disabled' }),
    input: { event_type: 'api-token.created' },
    answers: '409 subscription_disabled',
  },
  'the eleventh of an hour is refused': {
    async given(t) {
      const made = await subscribed()(t)
      for (let taken = 0; taken < 10; taken += 1) {
        await t.call('POST', `/webhooks/${made.id}/simulate`, { body: { event_type: 'api-token.created' } })
      }
      return made
    },
    input: { event_type: 'api-token.created' },
    answers: '429 simulation_limit',
    headers: { 'retry-after': '3600' },
  },
})
