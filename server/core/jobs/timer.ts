import { sql, type Transaction } from '#db/database.ts'
import type { Actor } from '../caller.ts'
import type { Context, EventType } from '../operation.ts'
import { newId } from '../values.ts'

/** One timed transition: what is to happen to which row, and when. */
export interface Timer {
  organization_id: string
  kind: string
  /** Order among timers due at the same moment; 1 first. */
  priority: number
  subject_id: string
  /** Timers of one sequence fire in order, and one that failed holds back the rest; absent: it stands alone. */
  sequence_id?: string | null
  due_at: string
}

/** The context in which a timer fires: the effects of an operation, in the name of the system. */
export interface TimerContext<Events extends EventType = EventType>
  extends Pick<Context<Events>, 'tx' | 'secrets' | 'newId' | 'emit' | 'audit' | 'posted'> {
  /**
   * Business time: the moment the timer was due, so that a late run reckons with the same dates as one on time, also in
   * its events (`occurred_at`). The time of the change itself (`updated_at`, the audit line) is the transaction's.
   */
  readonly now: string
  readonly actor: Actor
}

/** The work to do when a timer of one kind is due. It commits with the timer's mark, hence exactly once. */
export interface TimerDefinition<Events extends readonly EventType[] = readonly EventType[]>
  extends Pick<Timer, 'kind' | 'priority'> {
  emits?: Events
  /** The audit log's word for the subject, e.g. `amendments`. */
  subject: string
  /** Of something that goes by the real clock also in a sandbox: a credential. */
  on_real_time?: true
  /** The row may have moved on since the timer was set: what no longer applies is left as it is. */
  fire(timer: Timer, context: TimerContext<Events[number]>): Promise<void>
  /**
   * The same for some of its timers that are due at the same moment, each with its own effects; all are in one transaction
   * of one organization. The rows of all are locked first, in the order of all locks.
   */
  fireAll?(firings: readonly Firing<Events[number]>[]): Promise<void>
}

export interface Firing<Events extends EventType = EventType> {
  timer: Timer
  context: TimerContext<Events>
}

export function defineTimer<const Events extends readonly EventType[] = readonly []>(
  definition: TimerDefinition<Events>,
): TimerDefinition<Events> {
  return definition
}

/** The earliest moment for which a transaction has set a timer. */
const earliest_set = new WeakMap<Transaction, number>()

/** True when this transaction has set a timer that is due by then: it fires before others. */
export function hasSetTimerBy(tx: Transaction, due_at: string): boolean {
  return (earliest_set.get(tx) ?? Number.POSITIVE_INFINITY) <= Date.parse(due_at)
}

/** Sets a timer in the transaction that makes it necessary; an open one of the same kind and subject is moved. */
export async function setTimer(tx: Transaction, timer: Timer): Promise<void> {
  return setTimers(tx, [timer])
}

/** The same for many, by one statement. */
export async function setTimers(tx: Transaction, timers: readonly Timer[]): Promise<void> {
  if (timers.length === 0) return
  const due_ms = timers.map(({ due_at }) => Date.parse(due_at))
  earliest_set.set(tx, Math.min(earliest_set.get(tx) ?? Number.POSITIVE_INFINITY, ...due_ms))
  const rows = timers.map((timer) => ({ ...timer, id: newId(Date.parse(tx.real_now)) }))
  tx.send(sql`
    insert into timers (id, organization_id, kind, priority, subject_id, sequence_id, due_at, created_at)
    select id, organization_id, kind, priority, subject_id, sequence_id, due_at, app_now()
    from json_populate_recordset(null::timers, ${JSON.stringify(rows)}::json)
    on conflict (organization_id, kind, subject_id) where fired_at is null and cancelled_at is null
    do update set due_at = excluded.due_at, retry_at = null, failures = 0`)
}

/** Cancels the open timer of a kind and subject, if there is one. */
export function cancelTimer(
  tx: Transaction,
  { subject_id, ...timer }: Pick<Timer, 'organization_id' | 'kind' | 'subject_id'>,
): Promise<void> {
  return cancelTimers(tx, { ...timer, subject_ids: [subject_id] })
}

/** The same for many subjects. */
export async function cancelTimers(
  tx: Transaction,
  { organization_id, kind, subject_ids }: Pick<Timer, 'organization_id' | 'kind'> & { subject_ids: readonly string[] },
): Promise<void> {
  await tx.run(sql`
    update timers set cancelled_at = app_now()
    where organization_id = ${organization_id} and kind = ${kind} and subject_id = any (${subject_ids})
      and fired_at is null and cancelled_at is null`)
}
