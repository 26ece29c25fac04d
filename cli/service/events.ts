import type { EventPayload } from '../../sdk/src/webhooks.ts'
import { type Following, follow, send } from './client.ts'
import type { Connection } from './connection.ts'

/** One event of the feed, and the cursor of the place behind it. */
export interface FeedEvent {
  cursor: string
  event: EventPayload
}

/** The query that keeps these event types; none keeps all. */
function typesQuery(event_types: readonly string[]): string {
  return event_types.map((type) => `&event_types[]=${encodeURIComponent(type)}`).join('')
}

/** The place behind the newest event. Wrong types, a wrong token and a missing scope are refused here. */
export async function latestCursor(connection: Connection, event_types: readonly string[]): Promise<string> {
  const path = `/events?start=latest&limit=1${typesQuery(event_types)}`
  const { body } = await send(connection, { method: 'GET', path, is_repeatable: true })
  // The cast holds because the feed answers a cursor on every page.
  return (body as { cursor: string }).cursor
}

/** The events from a place on, each once and in order, over lost connections and restarts of the service. */
export async function* followEvents(
  connection: Connection,
  event_types: readonly string[],
  following: Following,
): AsyncGenerator<FeedEvent, void, undefined> {
  const path = `/events?start=oldest${typesQuery(event_types)}`
  for await (const { id, data } of follow(connection, path, following)) {
    // The cast holds because the stream tells the events of the feed.
    yield { cursor: id, event: data as unknown as EventPayload }
  }
}
