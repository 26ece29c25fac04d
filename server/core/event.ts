import type { Static, TObject } from 'typebox'

/** A type of event: its name on the wire, its words, the schema of one entry and an example. */
export interface EventType<Entry extends TObject = TObject> {
  readonly type: string
  readonly module: string
  readonly summary: string
  readonly entry: Entry
  readonly example: Static<Entry>
}

export function defineEvent<Entry extends TObject>(definition: EventType<Entry>): EventType<Entry> {
  return definition
}

/** One emitted event before it has bytes: complete, with every sensitive field. */
export interface EmittedEvent {
  event_id: string
  type: EventType
  occurred_at: string
  entries: readonly Record<string, unknown>[]
}

export const entries_max = 100
