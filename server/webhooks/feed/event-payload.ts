import type { RegisteredEvent } from '#core/registry.ts'
import { Id, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { type EventFacts, payloadOf } from '../event-body.ts'

/** An event of any type, as webhooks deliver it (interface specification 2.3). */
export const EventPayload = Type.Object({
  data: Type.Object({
    meta: Type.Object({
      event_type: Type.String(),
      organization_id: Id,
      event_id: Id,
      occurred_at: Timestamp,
      is_simulation: Type.Optional(Type.Literal(true)),
    }),
    resource: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'Entries by the schema of the event type, see GET /webhooks/events. Categories not granted are null.',
    }),
  }),
  timestamp: Timestamp,
})

/** The payload that a credential with these categories may see. */
export function eventPayload(
  catalogue: ReadonlyMap<string, RegisteredEvent>,
  { event_type, ...event }: EventFacts & { event_type: string },
  granted: ReadonlySet<string>,
): Static<typeof EventPayload> {
  const type = catalogue.get(event_type)
  // The cast holds because every entry is an object by the schema of its type.
  if (type) return payloadOf(type, event, granted) as Static<typeof EventPayload>
  // A type that has left the catalogue has no schema to withhold by: its entries stay inside, the fact is told.
  const { organization_id, event_id, occurred_at } = event
  return {
    data: { meta: { event_type, organization_id, event_id, occurred_at }, resource: [] },
    timestamp: occurred_at,
  }
}
