import { Counter } from 'prom-client'
import type { Transaction } from '#db/database.ts'
import type { Call, Input } from './call.ts'
import { type EmittedEvent, type EventType, entries_max } from './event.ts'
import { pageOfRows, readPage } from './lists/page.ts'
import { metrics } from './metrics.ts'
import type { Context } from './operation.ts'
import type { Runtime } from './runtime.ts'
import type { PageRequest } from './schema/schema.ts'
import { newId } from './values/id.ts'

/** What a handler asked for beside its own rows. */
export interface Effects {
  events: EmittedEvent[]
  subject: { kind?: string; id?: string; changed_fields?: readonly string[] }
  unchanged: boolean
}

/**
 * The part of a context that changes go through, whoever makes them: a caller's operation or the sweep of timers, whose
 * events occurred when the timer was due, however late the sweep is.
 */
export function collectEffects(runtime: Runtime, tx: Transaction, occurred_at?: string) {
  const effects: Effects = { events: [], subject: {}, unchanged: false }
  const nextId = () => newId(runtime.clock.now())
  const emit = (type: EventType, ...entries: Record<string, unknown>[]) => {
    if (entries.length > entries_max) throw new Error(`${type.type} has more than ${entries_max} entries`)
    checkEntries(runtime, type, entries)
    effects.events.push({ event_id: nextId(), type, occurred_at: occurred_at ?? tx.now, entries })
  }
  const audit: Context['audit'] = (subject) => Object.assign(effects.subject, subject)
  return { effects, base: { tx, secrets: runtime.secrets, newId: nextId, emit, audit } }
}

/** Makes the context of one call and collects what its handler emits. */
export function createContext(runtime: Runtime, call: Call, tx: Transaction, input: Input) {
  const { effects, base } = collectEffects(runtime, tx)
  const { limit, cursor, updated_after, ...filters } = input
  const request = { limit, cursor, updated_after } as PageRequest
  const binding = {
    operation: call.operation.definition.id,
    organization_id: call.caller.organization_id,
    filters: { ...filters, updated_after, person: call.caller.person_id },
  }
  const context: Context = {
    ...base,
    caller: call.caller,
    now: tx.now,
    request_id: call.request_id,
    trace_id: call.trace_id,
    rooms: runtime.rooms,
    prepared: call.prepared,
    writes_withheld: call.operation.sensitive.names(input, call.caller.sensitive_data),
    unchanged: () => {
      effects.unchanged = true
    },
    page: (list, itemOf) => readPage({ tx, ...runtime }, list, request, binding, itemOf),
    pageOf: (items, keyOf) => pageOfRows(items, keyOf, request, binding, runtime.cursors),
  }
  return { context, effects }
}

const mismatches = new Counter({
  name: 'webhook_schema_mismatch_total',
  help: 'Entries of events that were emitted against the schema of their type.',
  registers: [metrics],
})

/** A mistake of ours: it fails the call in development and tests, and is told in production, where the change counts. */
function checkEntries(runtime: Runtime, type: EventType, entries: readonly unknown[]): void {
  const registered = runtime.registry.events.get(type.type)
  for (const entry of entries) {
    const errors = registered?.checkEntry(entry) ?? [{ pointer: '', message: 'is not in the catalogue' }]
    if (errors.length === 0) continue
    const mistake = `${type.type} is emitted against its schema: ${JSON.stringify(errors)}`
    if (runtime.strict) throw new Error(mistake)
    mismatches.inc()
    runtime.log.error({ event_type: type.type, errors }, 'webhook_schema_mismatch')
  }
}
