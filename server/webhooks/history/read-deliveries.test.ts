import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { subscribed } from '#test/subscribed.ts'

/** A subscription with one delivery that nobody has sent yet. */
async function waiting(t: TestService): Promise<Body> {
  const made = await subscribed()(t)
  const { body: token } = await t.call('POST', '/api-tokens', { body: { name: 'Export', scopes: ['contracts:read'] } })
  const { body } = await t.call('GET', `/webhooks/${made.id}/deliveries`)
  return { ...made, delivery_id: body.data[0].id, event_id: body.data[0].event_id, token_id: token.id }
}

cases(
  'webhooks.list_deliveries',
  {
    'a delivery is listed with what it waits for': {
      as: 'viewer',
      body: ({ delivery_id, event_id, webhook_id }) => ({
        data: [
          {
            ...{ id: delivery_id, event_id, webhook_id, event_type: 'api-token.created', origin: 'event' },
            ...{ status: 'pending', series: 1, attempt_no: 0, first_attempt_at: null, expires_at: null },
          },
        ],
        total_count: 1,
      }),
    },
    'one of another status is left out': {
      input: { statuses: ['held', 'failed'] },
      body: { data: [], total_count: 0 },
    },
    'another type of event is left out': {
      input: { event_types: ['contract.created'] },
      body: { data: [], total_count: 0 },
    },
    'a type of event that does not exist is refused, with the one that was meant, as in the feed': {
      input: { event_types: ['api-token.craeted'] },
      answers: '422 unknown_event_type',
      body: {
        errors: [
          {
            pointer: '/event_types',
            message: 'api-token.craeted is not an event type; did you mean api-token.created?',
          },
        ],
      },
    },
    'a status that does not exist is refused': { input: { statuses: ['lost'] }, answers: '400 validation_failed' },
    'a subscription that never was has no deliveries': {
      input: { webhook_id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' },
      answers: '404 not_found',
    },
  },
  { given: waiting },
)

cases(
  'webhooks.get_delivery',
  {
    'a delivery is shown with the bytes that it sends': {
      body: ({ delivery_id }) => ({ id: delivery_id, status: 'pending', attempts: [] }),
      async afterwards(_, { given, body }) {
        const { data } = JSON.parse(body.body.text)
        assert.deepEqual([data.meta.event_id, data.resource[0].credential_id], [given.event_id, given.token_id])
      },
    },
    'a viewer sees no bodies': { as: 'viewer', answers: '403 insufficient_scope' },
    'a delivery that never was is missing': {
      input: { delivery_id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' },
      answers: '404 not_found',
    },
  },
  { given: waiting },
)
