import type { RegisteredEvent } from '#core/registry.ts'
import { schemaOrder } from './schema-order.ts'

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

/**
 * What decides the bytes of a body beside the event: version and granted categories, as far as the type has fields of
 * them. Subscriptions with the same rendering share one stored body.
 */
export function renderingOf(type: RegisteredEvent, version: string, granted: ReadonlySet<string>): string {
  return [version, ...type.sensitive.categories.filter((category) => granted.has(category))].join('+')
}

/** The categories whose fields a body of this rendering shows. */
export function categoriesOf(rendering: string): string[] {
  return rendering.split('+').slice(1)
}

/** The exact bytes that are signed and sent (interface specification 2.3; key order and form of webhooks.md 5.1). */
export function bodyOf(type: RegisteredEvent, event: EventFacts, granted: ReadonlySet<string>): Buffer {
  return Buffer.from(JSON.stringify(payloadOf(type, event, granted)))
}

export function payloadOf(type: RegisteredEvent, event: EventFacts, granted: ReadonlySet<string>) {
  const inOrder = schemaOrder(type.type.entry)
  return {
    data: {
      meta: {
        event_type: type.type.type,
        organization_id: event.organization_id,
        event_id: event.event_id,
        occurred_at: event.occurred_at,
        ...(event.is_simulation && { is_simulation: true }),
      },
      resource: event.entries.map((entry) => type.sensitive.withhold(inOrder(entry), granted)),
    },
    timestamp: event.occurred_at,
  }
}
