import type { RegisteredEvent } from '#core/registry.ts'
import type { Components, Json } from './components.ts'
import { deliveryHeaders } from './fixed-components.ts'

const exampleIds = {
  organization_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3',
  event_id: '019bb16e-fe80-7c41-9a53-2f6d1c0e8b17',
}
const example_time = '2026-01-12T09:00:00.000Z'

/** The body of a delivery (interface specification 2.3) around the entries of one event type. */
export function deliverySchema(event_type: string, entry: Json): Json {
  return {
    type: 'object',
    required: ['data', 'timestamp'],
    properties: {
      data: {
        type: 'object',
        required: ['meta', 'resource'],
        properties: {
          meta: {
            allOf: [{ $ref: '#/components/schemas/EventMeta' }, { properties: { event_type: { const: event_type } } }],
          },
          resource: { type: 'array', minItems: 1, maxItems: 100, items: entry },
        },
      },
      timestamp: { $ref: '#/components/schemas/Timestamp' },
    },
  }
}

/** What every event says about itself (interface specification 2.3). */
export const eventMeta: Json = {
  type: 'object',
  required: ['event_type', 'organization_id', 'event_id', 'occurred_at'],
  properties: {
    event_type: { type: 'string', description: 'Name of the event type.' },
    organization_id: { $ref: '#/components/schemas/Id' },
    event_id: {
      $ref: '#/components/schemas/Id',
      description: 'Unique per event; receivers drop what they had before.',
    },
    occurred_at: { $ref: '#/components/schemas/Timestamp' },
    is_simulation: {
      type: 'boolean',
      const: true,
      description: 'Present, and true, only on simulated events: make no real records from them.',
    },
  },
}

/** One event type as the request that a subscriber's endpoint receives. */
export function webhookObject({ type }: RegisteredEvent, { place }: Components): Json {
  const value = deliveryExample(type.type, type.example)
  return {
    post: {
      operationId: type.type,
      summary: type.summary,
      tags: ['events'],
      'x-module': type.module,
      security: [],
      parameters: deliveryHeaders,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: deliverySchema(type.type, place(type.entry as unknown as Json)),
            examples: { event: { value } },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received; the delivery is complete.' },
        '4XX': { description: 'Refused, e.g. 401 for a signature that does not match; the delivery is tried again.' },
        '5XX': { description: 'Failed; the delivery is tried again.' },
      },
    },
  }
}

export function deliveryExample(event_type: string, entry: unknown): Json {
  const meta = { event_type, ...exampleIds, occurred_at: example_time }
  return { data: { meta, resource: [entry] }, timestamp: example_time }
}
