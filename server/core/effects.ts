import type { Logger } from 'pino'
import type { Static } from 'typebox'
import { type Database, raw, sql, type Transaction } from '#db/database.ts'
import type { Actor, Caller } from './caller.ts'
import type { Clock } from './clock.ts'
import { counter } from './metrics.ts'
import { type Context, type EventType, isMutation, type Posting } from './operation.ts'
import { Problem } from './problems.ts'
import type { RegisteredOperation, Registry } from './registry.ts'
import type { Secrets } from './secrets.ts'
import { idPattern, isId, newId } from './values.ts'

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
export interface FanOut {
  (tx: Transaction, origin: EventOrigin, events: readonly EmittedEvent[]): Promise<void>
  /** Events of these types may follow: the look for who gets them travels with the first reads of the change. */
  expect?(tx: Transaction, organization_id: string, types: readonly EventType[]): void
}

/** The parts that changes need beside their transaction; made once at the start. */
export interface EffectParts {
  readonly registry: Registry
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Logger
  readonly fanOut: FanOut
  /** Nothing is told of what happens: no event is recorded. */
  readonly is_silent?: boolean
  /** Makes ids of rows for a business time, where they do not follow the clock of the service. */
  readonly newRowId?: (now: string) => string
  /** Development and tests: outputs, events and declared problems are checked, and a mistake of ours fails the call. */
  readonly strict: boolean
}

/** Effects that a handler asked for beside its own rows. */
export type Effects = ReturnType<typeof collectEffects>['effects']

/**
 * The part of a context that changes go through, whoever makes them: a caller's operation or a timer, whose events
 * occurred when the timer was due, however late it fires.
 */
export function collectEffects(parts: EffectParts, tx: Transaction, occurred_at?: string) {
  const events: EmittedEvent[] = []
  const subject: Parameters<Context['audit']>[0] = {}
  const postings: Posting[] = []
  const made = new Set<string>()
  const effects = { events, subject, unchanged: false, postings, made }
  const noted = (id: string) => {
    made.add(id)
    return id
  }
  const nextId = () => noted(parts.newRowId?.(tx.now) ?? newId(parts.clock.now()))
  const emit = (type: EventType, ...entries: Record<string, unknown>[]) => {
    if (entries.length > entries_max) throw new Error(`${type.type} has more than ${entries_max} entries`)
    checkEntries(parts, type, entries)
    // Real time, whatever business time is: by it the history is cut into weeks, and forgotten.
    const event_id = noted(newId(parts.clock.now()))
    effects.events.push({ event_id, type, occurred_at: occurred_at ?? tx.now, entries })
  }
  const audit: Context['audit'] = (subject) => Object.assign(effects.subject, subject)
  const posted = (posting: Posting) => void postings.push(posting)
  return { effects, base: { tx, secrets: parts.secrets, newId: nextId, emit, audit, posted } }
}

/** Emits about any number of rows, in events of as many entries as one may have. */
export function emitAll<Type extends EventType>(
  emit: (type: Type, ...entries: [Static<Type['entry']>, ...Static<Type['entry']>[]]) => void,
  type: Type,
  entries: readonly Static<Type['entry']>[],
): void {
  for (let at = 0; at < entries.length; at += entries_max) {
    const [entry, ...more] = entries.slice(at, at + entries_max)
    if (entry) emit(type, entry, ...more)
  }
}

const mismatches = counter(
  'webhook_schema_mismatch_total',
  'Entries of events that were emitted against the schema of their type.',
)

/** A mistake of ours: it fails the call in development and tests, and is told in production, where the change counts. */
function checkEntries({ registry, strict, log }: EffectParts, type: EventType, entries: readonly unknown[]): void {
  const registered = registry.events.get(type.type)
  for (const entry of entries) {
    const errors = registered?.checkEntry(entry) ?? [{ pointer: '', message: 'is not in the catalogue' }]
    if (errors.length === 0) continue
    if (strict) throw new Error(`${type.type} is emitted against its schema: ${JSON.stringify(errors)}`)
    mismatches.inc()
    log.error({ event_type: type.type, errors }, 'webhook_schema_mismatch')
  }
}

/** Writes events, deliveries and audit line; waits for nothing but the look at the subscriptions. */
export async function recordChange(
  parts: Pick<EffectParts, 'fanOut' | 'is_silent'>,
  tx: Transaction,
  events: readonly EmittedEvent[],
  { trace_id = null, ...entry }: AuditEntry & { trace_id?: string | null },
): Promise<void> {
  const { organization_id, request_id = null } = entry
  recordAudit(tx, entry)
  await tell(parts, tx, { organization_id, request_id, trace_id }, events)
}

/** Writes events and their deliveries, where anything is told. */
export async function tell(
  { fanOut, is_silent = false }: Pick<EffectParts, 'fanOut' | 'is_silent'>,
  tx: Transaction,
  origin: EventOrigin,
  events: readonly EmittedEvent[],
): Promise<void> {
  if (!is_silent) await recordEvents(tx, origin, events, fanOut)
}

/** Writes events and their deliveries in the business transaction: they exist exactly when the change does. */
export async function recordEvents(
  tx: Transaction,
  origin: EventOrigin,
  events: readonly EmittedEvent[],
  fanOut: FanOut,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ type: { type: event_type }, ...event }) => ({ ...event, event_type }))
  insertEvents(tx, origin, rows, false)
  await fanOut(tx, origin, events)
}

/** Writes events of the history; simulated ones are never in the feed. */
export function insertEvents(
  tx: Transaction,
  { organization_id, trace_id, request_id }: EventOrigin,
  events: readonly (Omit<EmittedEvent, 'type'> & { event_type: string })[],
  is_simulation: boolean,
): void {
  tx.insert(sql`
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, trace_id, request_id)
    select ${organization_id}::uuid, e.event_id, e.event_type, e.occurred_at, app_now(), ${is_simulation}::boolean, e.entries,
           ${trace_id}::text, ${request_id}::text
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as e (event_id uuid, event_type text, occurred_at timestamptz, entries jsonb)`)
  const resources = events.flatMap(({ event_id, entries }) =>
    resourceIdsOf(entries).map((resource_id) => ({ event_id, resource_id })),
  )
  tx.insert(sql`
    insert into event_resources (organization_id, event_id, resource_id)
    select ${organization_id}::uuid, r.event_id, r.resource_id
    from json_populate_recordset(null::event_resources, ${JSON.stringify(resources)}::json) r`)
}

const id_value = new RegExp(`"(${idPattern.slice(1, -1)})"`, 'g')

/** An event has at most 100 entries of a handful of identifiers; more than this are not kept for the filter. */
const ids_max = 1_000

/** Every identifier found in the entries of an event, each once: what the filter `resource_id` finds it by. */
function resourceIdsOf(entries: readonly object[]): (string | undefined)[] {
  const found = [...JSON.stringify(entries).matchAll(id_value)].map(([, id]) => id)
  return [...new Set(found)].slice(0, ids_max)
}

/** One line of the audit log: who did what to which row, by names of fields, never values. */
export interface AuditEntry {
  organization_id: string
  actor: Actor
  credential_id?: string | null
  /** Operation id or kind of timer. */
  action: string
  subject: { kind: string; id: string | null }
  changed_fields?: readonly string[]
  request_id?: string | null
  address?: string | null
  /** The surface that the call came through; absent for what nobody called. */
  surface?: string | undefined
}

const audit_columns = raw(
  'id, organization_id, occurred_at, actor, credential_id, action, subject_kind, subject_id, changed_fields, request_id, address, surface',
)

/** Writes the line in the transaction of the change, so a change that happened has exactly one line. */
export function recordAudit(tx: Transaction, entry: AuditEntry): void {
  const { organization_id, actor, credential_id = null, action, subject, changed_fields = [] } = entry
  const { request_id = null, address = null, surface = null } = entry
  tx.insert(sql`
    insert into audit_entries (${audit_columns})
    values (${newId(Date.parse(tx.real_now))}, ${organization_id}, ${tx.real_now}, ${JSON.stringify(actor)}, ${credential_id},
            ${action}, ${subject.kind}, ${subject.id}, ${changed_fields}, ${request_id}, ${address}, ${surface})`)
}

/** A call, as far as a refusal of it is told of. */
interface RefusedCall {
  readonly request_id: string | null
  readonly address: string | null
  readonly surface: string
  readonly operation: RegisteredOperation
  readonly caller: Caller
  readonly input: unknown
}

/** A change that is refused for one of these reasons leaves a line too, in a transaction of its own. */
export async function auditRefusal<Result>(
  database: Database,
  { operation: { definition }, caller, input, request_id, address, surface }: RefusedCall,
  codes: ReadonlySet<string>,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Problem && codes.has(error.definition.code) && isMutation(definition))) throw error
    const { organization_id, actor, credential_id } = caller
    const { id } = Object(input)
    const subject = { kind: definition.subject ?? definition.id, id: isId(`${id}`) ? id : null }
    const line = { organization_id, actor, credential_id, action: `${definition.id}.refused`, subject }
    await database.transaction({ role: 'app', organization_id }, async (tx) =>
      recordAudit(tx, { ...line, request_id, address, surface }),
    )
    throw error
  }
}

/** The lines of changes that nobody called, in their order. */
export function recordAudits(
  tx: Transaction,
  entries: readonly Pick<AuditEntry, 'organization_id' | 'actor' | 'action' | 'subject' | 'changed_fields'>[],
): void {
  const rows = entries.map(({ subject, changed_fields = [], ...entry }) => ({
    ...{ ...entry, id: newId(Date.parse(tx.real_now)), occurred_at: tx.real_now },
    ...{ subject_kind: subject.kind, subject_id: subject.id, changed_fields },
  }))
  tx.insert(sql`
    insert into audit_entries (${audit_columns})
    select ${audit_columns} from json_populate_recordset(null::audit_entries, ${JSON.stringify(rows)}::json)`)
}
