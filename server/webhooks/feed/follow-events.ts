import type { StreamReader } from '#core/operation.ts'
import { type FeedInput, readEvents } from './read-events.ts'

const events_per_read_max = 100

/** The feed as it grows. An id of the stream is a cursor of the list, so a client may go on either way. */
export function followEvents(input: FeedInput, last_event_id: string | undefined): StreamReader {
  let cursor = last_event_id ?? input.cursor
  return {
    async read(context) {
      const part = await readEvents({ ...input, limit: events_per_read_max, cursor }, context)
      const { payloads, positionAfter, position, has_more } = part
      cursor = position
      return { items: payloads.map((data, index) => ({ id: positionAfter(index), data })), position, has_more }
    },
  }
}
