import type { Static, TObject } from 'typebox'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

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

/** Source of the events of one transaction. */
interface EventOrigin {
  organization_id: string
  request_id: string | null
  trace_id: string | null
}

/** Writes one delivery per matching subscription, in the transaction of the event; the webhook room provides it. */
export type FanOut = (tx: Transaction, origin: EventOrigin, events: readonly EmittedEvent[]) => Promise<void>

/**
 * Writes events and their deliveries in the business transaction: they exist exactly when the change does. The two
 * writes are sent one behind the other without waiting, so the outbox costs one round trip of latency less.
 */
export async function recordEvents(
  tx: Transaction,
  origin: EventOrigin,
  events: readonly EmittedEvent[],
  fanOut: FanOut,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ event_id, type, occurred_at, entries }) => ({
    event_id,
    event_type: type.type,
    occurred_at,
    resource: entries,
  }))
  const written = tx.run(sql`
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, trace_id, request_id)
    select ${origin.organization_id}::uuid, e.event_id, e.event_type, e.occurred_at, app_now(), false, e.resource,
           ${origin.trace_id}::text, ${origin.request_id}::text
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as e (event_id uuid, event_type text, occurred_at timestamptz, resource jsonb)`)
  await Promise.all([written, fanOut(tx, origin, events)])
}
