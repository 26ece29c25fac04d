import type { Context } from '#core/operation.ts'
import type { Static } from '#core/schema/schema.ts'
import { unknownTypesProblem } from '../problems.ts'
import { type EventPayload, eventPayload } from './event-payload.ts'
import { type FeedStart, readFeed } from './feed.store.ts'
import { readPosition, writePosition } from './feed-cursor.ts'
import { cursorExpired } from './problems.ts'

export interface FeedInput {
  cursor?: string | undefined
  limit: number
  event_types?: string[] | undefined
  start: FeedStart
}

export interface EventsRead {
  payloads: Static<typeof EventPayload>[]
  /** Cursor of the place right after the payload of this index. */
  positionAfter(index: number): string
  has_more: boolean
  /** Events left from the given place, these included. */
  left: number
  /** Cursor of the place after all of these; it moves on where there is nothing to read, too. */
  position: string
}

/** Reads the next events after the cursor, as the caller may see them. */
export async function readEvents(input: FeedInput, { caller, tx, rooms }: Context): Promise<EventsRead> {
  const { cursor, limit, event_types, start } = input
  const { organization_id, sensitive_data } = caller
  const { catalogue, cursors } = rooms.webhooks
  refuseUnknown(event_types ?? [], catalogue)
  const from = cursor === undefined ? start : readPosition(cursors, organization_id, event_types, cursor)
  const page = await readFeed(tx, organization_id, from, { event_types, rows_max: limit + 1 })
  if (page.is_expired) throw cursorExpired()
  const rows = page.rows.slice(0, limit)
  const has_more = page.rows.length > limit
  const positionAt = (feed_seq: string, read: number) =>
    writePosition(cursors, organization_id, event_types, { feed_seq, counted_to: page.head, left: page.left - read })
  const positionAfter = (index: number) => positionAt(rows[index]?.feed_seq ?? page.head, index + 1)
  return {
    payloads: rows.map((row) => eventPayload(catalogue, { ...row, organization_id }, sensitive_data)),
    positionAfter,
    has_more,
    left: page.left,
    position: has_more ? positionAfter(rows.length - 1) : positionAt(page.head, rows.length),
  }
}

function refuseUnknown(event_types: readonly string[], catalogue: ReadonlyMap<string, unknown>): void {
  const unknown = event_types.filter((name) => !catalogue.has(name))
  if (unknown.length === 0) return
  throw unknownTypesProblem(
    unknown.map((name) => ({ name, pointer: '/event_types' })),
    catalogue,
  )
}
