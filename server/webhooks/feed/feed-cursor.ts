import type { Cursors } from '#core/lists/page.ts'
import { sha256 } from '#core/values/canonical.ts'
import type { FeedPosition } from './feed.store.ts'

/** A position in the feed of an organization; other event types may be asked for from the same place on. */
export function writePosition(
  cursors: Cursors,
  organization_id: string,
  event_types: readonly string[] | undefined,
  { feed_seq, counted_to, left }: FeedPosition,
): string {
  const keys = [padded(feed_seq), padded(counted_to), String(left), digestOf(event_types)]
  return cursors.write(keys, bindingOf(organization_id))
}

/** Places count the events of everybody; a cursor is sealed, and no length of it grows with them either. */
const padded = (place: string) => place.padStart(19, '0')

/** Throws `invalid_cursor` for what is no cursor of this feed. */
export function readPosition(
  cursors: Cursors,
  organization_id: string,
  event_types: readonly string[] | undefined,
  cursor: string,
): FeedPosition {
  const [feed_seq = '0', counted_to = '0', left = '0', counted_types] = cursors.read(cursor, bindingOf(organization_id))
  const is_counted = counted_types === digestOf(event_types)
  return is_counted ? { feed_seq, counted_to, left: Number(left) } : { feed_seq, counted_to: feed_seq, left: 0 }
}

const bindingOf = (organization_id: string) => ({ operation: 'events.list', organization_id, filters: {} })

const digestOf = (event_types: readonly string[] | undefined) =>
  event_types ? sha256(...[...event_types].sort()).toString('base64url') : ''
