import type { RegisteredEvent } from '#core/registry.ts'
import { Id, type Static, Timestamp, type TSchema, Type } from '#core/schema/schema.ts'
import { type EventFacts, payloadOf } from '../event-body.ts'

/** An event as webhooks deliver it (interface specification 2.3), of the type and with the entries that are given. */
export function payloadSchema<EventType extends TSchema, Entries extends TSchema>(
  event_type: EventType,
  resource: Entries,
  { event_id = Id, timestamp = Timestamp } = {},
) {
  const is_simulation = Type.Optional(Type.Literal(true))
  const meta = Type.Object({ event_type, organization_id: Id, event_id, occurred_at: Timestamp, is_simulation })
  return Type.Object({ data: Type.Object({ meta, resource }), timestamp })
}

/** An event of any type. */
export const EventPayload = payloadSchema(
  Type.String(),
  Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Entries by the schema of the event type, see GET /webhooks/events. Categories not granted are null.',
  }),
)

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
