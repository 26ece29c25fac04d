import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, SetOf, Type } from '#core/schema.ts'
import { unknownEventType } from '../problems.ts'
import { EventPayload, eventPayload } from './event-payload.ts'
import { readFeed } from './feed.store.ts'
import { readPosition, writePosition } from './feed-cursor.ts'
import { cursorExpired } from './problems.ts'

export const listEvents = defineOperation({
  id: 'events.list',
  summary: 'Read the events of the organization in order',
  description:
    'The same objects that webhooks deliver, without simulations, oldest first; each appears once, within a second of its change. Keep the cursor of every page: it leads on, also from an empty page.',
  method: 'GET',
  path: '/events',
  scopes: ['webhooks:read'],
  input: Closed({
    cursor: PageInput.cursor,
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Events per page.' }),
    event_types: Type.Optional(SetOf(Type.String({ minLength: 1, maxLength: 100 }))),
    start: Type.Enum(['oldest', 'latest'], { default: 'oldest', description: 'Where to begin without a cursor.' }),
  }),
  output: Type.Object({
    data: Type.Array(EventPayload),
    cursor: Type.String({ description: 'Where the next page begins, now or later. Other event types may be named.' }),
    has_more: Type.Boolean(),
    total_count: Type.Integer({ minimum: 0, description: 'Events left from the given position, this page included.' }),
  }),
  problems: [cursorExpired, unknownEventType],

  async handle({ cursor, limit, event_types, start }, { caller, tx, rooms: { webhooks } }) {
    const { organization_id, sensitive_data } = caller
    const { catalogue, cursors } = webhooks
    const unknown = (event_types ?? []).filter((name) => !catalogue.has(name))
    if (unknown.length > 0) {
      throw unknownEventType(`There is no event type ${unknown.join(', ')}.`, {
        errors: unknown.map((name) => ({ pointer: '/event_types', message: `${name} is not an event type` })),
      })
    }
    const from = cursor === undefined ? start : readPosition(cursors, organization_id, event_types, cursor)
    const page = await readFeed(tx, organization_id, from, { event_types, rows_max: limit + 1 })
    if (page.is_expired) throw cursorExpired()
    const rows = page.rows.slice(0, limit)
    const last = rows.at(-1)
    const has_more = page.rows.length > limit && last !== undefined
    const next = {
      feed_seq: has_more ? last.feed_seq : page.head,
      counted_to: page.head,
      left: page.left - rows.length,
    }
    return {
      data: rows.map((row) => eventPayload(catalogue, { ...row, organization_id }, sensitive_data)),
      cursor: writePosition(cursors, organization_id, event_types, next),
      has_more,
      total_count: page.left,
    }
  },
})
