import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, SetOf, Type } from '#core/schema/schema.ts'
import { unknownEventType } from '../problems.ts'
import { EventPayload } from './event-payload.ts'
import { followEvents } from './follow-events.ts'
import { cursorExpired } from './problems.ts'
import { readEvents } from './read-events.ts'

export const listEvents = defineOperation({
  id: 'events.list',
  summary: 'Read the events of the organization in order',
  description:
    'The same objects that webhooks deliver, without simulations, oldest first; each appears once, within a second of its change. Keep the cursor of every page: it leads on, also from an empty page.',
  method: 'GET',
  path: '/events',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer'],
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
  stream: followEvents,

  async handle(input, context) {
    const { payloads, has_more, left, position } = await readEvents(input, context)
    return { data: payloads, cursor: position, has_more, total_count: left }
  },
})
