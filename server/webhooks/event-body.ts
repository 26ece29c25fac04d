import type { RegisteredEvent } from '#core/registry.ts'
import { Id, type Static, Timestamp, type TSchema, Type } from '#core/schema/schema.ts'

/** The version that deliveries are serialised in, as `x-service-webhook-version` names it. */
export const api_version = 'v2'

/** One event as a body tells of it. */
export interface EventFacts {
  event_id: string
  organization_id: string
  /** RFC 3339, UTC, milliseconds. */
  occurred_at: string
  is_simulation: boolean
  /** The complete entries, with every sensitive field. */
  entries: readonly object[]
}

/** The part of each entry that is sent: all of it, or enough for a receiver to read the resource by itself. */
export const payloadModes = ['full', 'thin'] as const
export type PayloadMode = (typeof payloadModes)[number]

/** A subscription's choices about its bodies. */
export interface BodyChoice {
  api_version: string
  payload: PayloadMode
  sensitive_data: readonly string[]
}

/**
 * The choices that decide the bytes of a body: version, payload mode and granted categories, as far as the type has
 * fields of them: `v2`, `v2+compensation`, `v2.thin`. Subscriptions with the same rendering share one stored body.
 */
export function renderingOf(type: RegisteredEvent, { api_version, payload, sensitive_data }: BodyChoice): string {
  if (payload === 'thin') return `${api_version}.thin`
  return [api_version, ...type.sensitive.categories.filter((category) => sensitive_data.includes(category))].join('+')
}

/** The categories whose fields a body of this rendering shows. */
export function categoriesOf(rendering: string): string[] {
  return rendering.split('+').slice(1)
}

/** The exact bytes that are signed and sent (interface specification 2.3; key order and form of webhooks.md 5.1). */
export function bodyOf(type: RegisteredEvent, event: EventFacts, { payload, sensitive_data }: BodyChoice): Buffer {
  return Buffer.from(JSON.stringify(payloadOf(type, event, new Set(sensitive_data), payload)))
}

export function payloadOf(
  type: RegisteredEvent,
  event: EventFacts,
  granted: ReadonlySet<string>,
  mode: PayloadMode = 'full',
) {
  const reduce = mode === 'thin' ? thin(type) : (entry: object) => entry
  return {
    data: {
      meta: {
        event_type: type.type.type,
        organization_id: event.organization_id,
        event_id: event.event_id,
        occurred_at: event.occurred_at,
        ...(event.is_simulation && { is_simulation: true }),
      },
      resource: event.entries.map((entry) =>
        reduce(type.sensitive.withhold(inOrder(type.type.entry as Shape, entry), granted) as object),
      ),
    },
    timestamp: event.occurred_at,
  }
}

/** The name is the mark: house rule of all schemas is that identifiers, and nothing else, are called so. */
const identifier = /(^|_)ids?$/

/** A thin entry keeps identifiers, status and time of creation; never a sensitive field, so no category decides its bytes. */
function thin({ type }: RegisteredEvent): (entry: object) => object {
  const kept = Object.entries(type.entry.properties).flatMap(([name, schema]) => {
    const isKept = identifier.test(name) || name === 'status' || name === 'created_at'
    return isKept && !('x-sensitive' in schema) ? [name] : []
  })
  return (entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => kept.includes(name)))
}

interface Shape {
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
}

/**
 * Puts the keys of a value into the order of its schema, at every depth, so that the same event has the same bytes
 * whether its entry comes from a handler or from jsonb, which keeps no order. Fields the schema does not name are left
 * out: what nobody declared is not sent.
 */
function inOrder({ anyOf = [], items, properties }: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const is_array = Array.isArray(value)
  const branch = anyOf.find((one) => one.anyOf ?? (is_array ? one.items : one.properties))
  if (branch) return inOrder(branch, value)
  if (is_array) return items ? value.map((item) => inOrder(items, item)) : value
  if (!properties) return value
  const ordered: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined) ordered[name] = inOrder(schema, member)
  }
  return ordered
}

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
  Type.String({ example: 'contract.created' }),
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
