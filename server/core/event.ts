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
