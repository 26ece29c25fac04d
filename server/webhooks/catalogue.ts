import type { RegisteredEvent } from '#core/registry.ts'
import { Id, Timestamp, Type } from '#core/schema/schema.ts'
import { payloadOf } from './event-body.ts'

/** The ids of the published examples. */
const example_event_id = '019bb16e-fe80-7c41-9a53-2f6d1c0e8b17'
const example_organization_id = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const example_time = '2026-01-12T09:00:00.000Z'

/** JSON Schema of the whole payload of a type (interface specification 2.3). */
export function payloadSchema({ type }: RegisteredEvent) {
  return Type.Object({
    data: Type.Object({
      meta: Type.Object({
        event_type: Type.Literal(type.type),
        organization_id: Id,
        event_id: Type.String({
          ...Id,
          description: 'The same in every delivery of the event: drop what you have seen.',
        }),
        occurred_at: Timestamp,
        is_simulation: Type.Optional(Type.Literal(true)),
      }),
      resource: Type.Array(type.entry, { minItems: 1, maxItems: 100 }),
    }),
    timestamp: Type.String({ ...Timestamp, description: 'When the event occurred; equal to occurred_at.' }),
  })
}

/** A whole payload as a subscription with every category receives it. */
export function payloadExample(event: RegisteredEvent) {
  const facts = {
    event_id: example_event_id,
    organization_id: example_organization_id,
    occurred_at: example_time,
    is_simulation: false,
    entries: [event.type.example],
  }
  return payloadOf(event, facts, new Set(event.sensitive.categories))
}
