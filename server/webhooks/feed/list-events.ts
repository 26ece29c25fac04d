import { sha256 } from '#core/json.ts'
import type { Cursors } from '#core/list.ts'
import { type Context, defineOperation, type StreamReader } from '#core/operation.ts'
import { Closed, Id, PageInput, SetOf, type Static, Type } from '#core/schema/schema.ts'
import { EventPayload, eventPayload } from '../event-body.ts'
import { cursorExpired, refuseUnknownTypes, unknownEventType } from '../problems.ts'
import { mayReadBodies } from '../subscriptions/subscription.ts'
import { type FeedFilter, type FeedPosition, readFeed } from './feed.store.ts'

const FeedInput = Closed({
  cursor: PageInput.cursor,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Events per page.' }),
  event_types: Type.Optional(SetOf(Type.String({ minLength: 1, maxLength: 100 }))),
  resource_id: Type.Optional(Id),
  start: Type.Enum(['oldest', 'latest'], { default: 'oldest', description: 'Where to begin without a cursor.' }),
})

export const listEvents = defineOperation({
  id: 'events.list',
  summary: 'Read the events of the organization in order',
  description:
    'The same objects that webhooks deliver, without simulations, oldest first; each appears once, within a second of its change. Keep the cursor of every page: it leads on, also from an empty page.',
  method: 'GET',
  path: '/events',
  ...mayReadBodies,
  input: FeedInput,
  output: Type.Object({
    data: Type.Array(EventPayload),
    cursor: Type.String({
      description: 'Where the next page begins, now or later. Other event types may be named.',
      example: 'Yk3PcJ9dF1hS5gT7aE0uYiOoRnKw',
    }),
    has_more: Type.Boolean(),
    total_count: Type.Integer({ minimum: 0, description: 'Events left from the given position, this page included.' }),
  }),
  problems: [cursorExpired, unknownEventType],
  stream: followEvents,

  async handle(input, context) {
    const { payloads, has_more, left, position } = await readEvents(input, context)
    return { data: payloads, cursor: position, has_more, total_count: left }
  },
})

/** Reads the next events after the cursor, as the caller may see them. */
async function readEvents(input: Static<typeof FeedInput>, { caller, tx, rooms }: Context) {
  const { cursor, limit, event_types, resource_id, start } = input
  const { organization_id, sensitive_data } = caller
  const { catalogue, cursors } = rooms.webhooks
  refuseUnknownTypes(event_types ?? [], catalogue, () => '/event_types')
  const positions = positionsOf(cursors, organization_id, { event_types, resource_id })
  const from = cursor === undefined ? start : positions.read(cursor)
  const page = await readFeed(tx, organization_id, from, { event_types, resource_id, rows_max: limit + 1 })
  if (page.is_expired) throw cursorExpired()
  const rows = page.rows.slice(0, limit)
  const has_more = page.rows.length > limit
  const positionAt = (feed_seq: string, read: number) =>
    positions.write({ feed_seq, counted_to: page.head, left: page.left - read })
  const positionAfter = (index: number) => positionAt(rows[index]?.feed_seq ?? page.head, index + 1)
  return {
    payloads: rows.map((row) => eventPayload(catalogue, { ...row, organization_id }, sensitive_data)),
    /** Cursor of the place right after the payload of this index. */
    positionAfter,
    has_more,
    left: page.left,
    /** Cursor of the place after all of these; it moves on where there is nothing to read, too. */
    position: has_more ? positionAfter(rows.length - 1) : positionAt(page.head, rows.length),
  }
}

/** Cursors of the feed of an organization; other events may be asked for from the same place on. */
function positionsOf(cursors: Cursors, organization_id: string, { event_types = [], resource_id = '' }: FeedFilter) {
  const binding = { operation: 'events.list', organization_id, filters: {} }
  const counted = [...event_types.toSorted(), resource_id].filter(Boolean)
  const filter = counted.length > 0 ? sha256(...counted).toString('base64url') : ''
  return {
    write: ({ feed_seq, counted_to, left }: FeedPosition): string =>
      cursors.write([padded(feed_seq), padded(counted_to), String(left), filter], binding),
    /** Throws `invalid_cursor` for what is no cursor of this feed. */
    read(cursor: string): FeedPosition {
      const [feed_seq = '0', counted_to = '0', left = '0', counted_by] = cursors.read(cursor, binding)
      const is_counted = counted_by === filter
      return is_counted ? { feed_seq, counted_to, left: Number(left) } : { feed_seq, counted_to: feed_seq, left: 0 }
    },
  }
}

/** Places count the events of everybody; a cursor is sealed, and no length of it grows with them either. */
const padded = (place: string) => place.padStart(19, '0')

const events_per_read_max = 100

/** The feed as it grows. An id of the stream is a cursor of the list, so a client may go on either way. */
function followEvents(input: Static<typeof FeedInput>, last_event_id: string | undefined): StreamReader {
  let cursor = last_event_id ?? input.cursor
  return {
    async read(context) {
      const part = await readEvents(
        { ...input, limit: events_per_read_max, ...(cursor !== undefined && { cursor }) },
        context,
      )
      const { payloads, positionAfter, position, has_more } = part
      cursor = position
      return { items: payloads.map((data, index) => ({ id: positionAfter(index), data })), position, has_more }
    },
  }
}
