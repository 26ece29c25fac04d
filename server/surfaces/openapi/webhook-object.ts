import type { RegisteredEvent } from '#core/registry.ts'
import type { Components, Json } from './components.ts'
import { meta } from './example-values.ts'
import { deliveryHeaders } from './fixed-components.ts'

/** The body of a delivery (interface specification 2.3) around the entries of one event type. */
function deliverySchema(event_type: string, entry: Json): Json {
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

/** The members that every event begins with (interface specification 2.3). */
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
  return { data: { meta: { ...meta, event_type }, resource: [entry] }, timestamp: meta.occurred_at }
}
