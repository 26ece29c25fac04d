import { type Sql, sql, type Transaction } from '#db/database.ts'
import { system_actor } from '../caller.ts'
import { collectEffects, type EmittedEvent, recordAudits, tell } from '../effects.ts'
import type { Runtime } from '../invoke.ts'
import type { Registry } from '../registry.ts'
import { moveClock } from '../sandbox-clock.ts'
import { newId } from '../values.ts'
import { createJob } from './job.ts'
import { hasSetTimerBy, type Timer, type TimerDefinition } from './timer.ts'

const organizations_per_round_max = 100

/** One more than this adds little: the process computes for one while the database does for another. */
const organizations_at_once = 2

/** Then the next organization has its turn, so that one with very many due timers does not keep the others waiting. */
const timers_per_turn_max = 100

const rounds_max = 10_000

/** The pause between two runs: a timer is at most this late. */
const pause_ms = 1_000
const pause_after_failure_ms = 2_000

/** Makes the one job of a process that fires timers; any number of processes may run it at once (domain rules 3.9). */
export function createTimerJob(runtime: Runtime, definitions: readonly TimerDefinition[]) {
  const { database, log } = runtime
  const kinds = kindsOf(runtime.registry, definitions)
  /** Fires what is due in every organization, cascades included, until nothing is left; answers how many fired. */
  const runDue = async () => {
    const started_at_ms = performance.now()
    const tally = { fired: 0, failed: 0 }
    for (let rounds = 0; rounds < rounds_max && !job.signal.aborted; rounds += 1) {
      const before = tally.fired + tally.failed
      const waiting = await database.transaction({ role: 'engine' }, (tx) => organizationsWithDueTimers(tx, kinds))
      const lane = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await takeTurn(next, tally)
      }
      await Promise.all(Array.from({ length: organizations_at_once }, lane))
      // Nothing moved: all is done, or others are at work.
      if (tally.fired + tally.failed === before) break
    }
    if (tally.fired + tally.failed > 0) {
      log.info({ ...tally, duration_ms: Math.round(performance.now() - started_at_ms) }, 'timers_fired')
    }
    return tally.fired
  }
  const takeTurn = async (organization_id: string, tally: Tally) => {
    const pace = newPace()
    try {
      for (let moved = 0; moved < timers_per_turn_max && !job.signal.aborted; ) {
        const firing = await fireNext(runtime, kinds, organization_id, { pace })
        if (firing === 'idle') return
        if (firing === 'failed') tally.failed += 1
        else if (firing !== 'gone') tally.fired += firing
        moved += typeof firing === 'number' ? firing : 1
      }
    } catch (error) {
      // Not even the failure could be noted; the other organizations go on, and the next run comes back to this one.
      log.error({ organization_id, err: error }, 'timers_failed')
    }
  }
  const job = createJob(async () => {
    try {
      await runDue()
      return pause_ms
    } catch (error) {
      // The database is away: nothing is lost, the timers are still due when it is back.
      log.error({ err: error }, 'timers_failed')
      return pause_after_failure_ms
    }
  })
  return { runDue, start: job.start, stop: job.stop }
}

/** Fires what is due in one organization until nothing is left that is not held back, also where others are at it. */
export function createFiring(runtime: Omit<Runtime, 'rooms'>, definitions: readonly TimerDefinition[]) {
  const kinds = kindsOf(runtime.registry, definitions)
  return {
    /** Ends early when it is `ends_at_ms` by the monotonic clock. */
    async run(organization_id: string, ends_at_ms = Number.POSITIVE_INFINITY): Promise<void> {
      const pace = newPace()
      while (performance.now() < ends_at_ms) {
        if ((await fireNext(runtime, kinds, organization_id, { waits: true, pace })) === 'idle') return
      }
    },
    /** The kinds that follow the clock of a sandbox. */
    business_kinds: kindsOn(kinds, false),
  }
}

interface Tally {
  fired: number
  failed: number
}

type TimerKinds = ReadonlyMap<string, TimerDefinition>

function kindsOf({ events }: Registry, definitions: readonly TimerDefinition[]): TimerKinds {
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
  if (kinds.size < definitions.length) throw new Error('a kind of timer is defined twice')
  for (const { kind, emits = [] } of definitions) {
    const unknown = emits.find(({ type }) => !events.has(type))
    if (unknown) throw new Error(`timer ${kind} emits ${unknown.type}, which is not in the catalogue`)
  }
  return kinds
}

/** The kinds that go by the real clock, also in a sandbox, or the others. */
function kindsOn(kinds: TimerKinds, real_time: boolean): string[] {
  return [...kinds.values()].filter(({ on_real_time = false }) => on_real_time === real_time).map(({ kind }) => kind)
}

/** Carries the rollback of timers of which one was cancelled or moved while they were about to fire. */
const gone = new Error('the timer was cancelled or moved')

/** Carries the rollback of timers of which one set another that comes before the rest. */
const overtaken = new Error('a timer was set that comes before some that fired')

/** Timers that fire in one transaction, which holds the locks of them all until its end. */
const together_max = 100

/** The number of timers that are tried together: half as many after a failure, so that one that fails is found, then more again. */
interface Pace {
  together: number
}

const newPace = (): Pace => ({ together: together_max })

/**
 * The next due timer of one organization in a transaction: effect, events, audit line and mark, or nothing. With it fire
 * those of its kind that are due at the same moment, where the kind fires many. Answers how many fired.
 */
async function fireNext(
  runtime: Omit<Runtime, 'rooms'>,
  kinds: TimerKinds,
  organization_id: string,
  { waits = false, pace }: { waits?: boolean; pace: Pace },
): Promise<number | 'failed' | 'gone' | 'idle'> {
  let due: DueTimer[] = []
  try {
    const fired = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
      due = (await lockTimersOf(tx, organization_id, waits))
        ? await nextTimers(tx, organization_id, kinds, pace.together)
        : []
      const [first] = due
      if (!first) return 'idle'
      const events = await fire(runtime, tx, definitionOf(kinds, first), due)
      if (due.length > 1 && hasSetTimerBy(tx, first.due_at)) throw overtaken
      // Not locked before their effects: operations lock the business rows first and the timer last, and so does this.
      const marked = await mark(tx, due, sql`fired_at = app_now(), retry_at = null`)
      if (marked < due.length) throw gone
      await tell(runtime, tx, { organization_id, request_id: null, trace_id: null }, events)
      return due.length
    })
    pace.together = Math.min(together_max, pace.together * 2)
    return fired
  } catch (error) {
    const [timer, ...others] = due
    if (!timer) throw error
    // One that fails takes no other with it: fewer are tried, until it is alone.
    pace.together = Math.ceil(due.length / 2)
    if (others.length > 0) return fireNext(runtime, kinds, organization_id, { waits, pace })
    return error === gone ? 'gone' : retryLater(runtime, timer, error)
  }
}

/** The effects of timers that fire together and their audit lines; answers their events, those of the first timer first. */
async function fire(
  runtime: Omit<Runtime, 'rooms'>,
  tx: Transaction,
  definition: TimerDefinition,
  timers: readonly DueTimer[],
): Promise<EmittedEvent[]> {
  const [first] = timers
  if (!first) return []
  const { organization_id, kind, due_at } = first
  // A clock that was set stands at the moment the timers were due; real time is none of it.
  const moves = first.clock_at !== null && !definition.on_real_time
  tx.keepTime(moves ? await moveClock(tx, organization_id, { due_at, kind, count: timers.length }) : null)
  const fired = timers.map((timer) => {
    const { effects, base } = collectEffects(runtime, tx, due_at)
    return { timer, effects, context: { ...base, now: due_at, actor: system_actor } }
  })
  if (timers.length > 1 && definition.fireAll) await definition.fireAll(fired)
  else for (const { timer, context } of fired) await definition.fire(timer, context)
  recordAudits(
    tx,
    fired.map(({ timer, effects: { subject } }) => ({
      organization_id,
      actor: system_actor,
      action: kind,
      subject: { kind: subject.kind ?? definition.subject, id: subject.id ?? timer.subject_id },
      changed_fields: subject.changed_fields ?? [],
    })),
  )
  const events = fired.flatMap(({ effects }) => effects.events)
  // Ids ascend as events are told, also where the timers emitted by turns.
  return timers.length === 1 ? events : events.map((event) => ({ ...event, event_id: newId(runtime.clock.now()) }))
}

/** Only timers of known kinds are read. */
function definitionOf(kinds: TimerKinds, { kind }: Timer): TimerDefinition {
  const definition = kinds.get(kind)
  if (!definition) throw new Error(`there is no kind of timer ${kind}`)
  return definition
}

/** The next due timer, and those that may fire together with it. */
async function nextTimers(
  tx: Transaction,
  organization_id: string,
  kinds: TimerKinds,
  at_most: number,
): Promise<DueTimer[]> {
  const first = await nextDueTimer(tx, organization_id, kinds)
  if (!first) return []
  if (!definitionOf(kinds, first).fireAll || at_most === 1) return [first]
  const following = await followingTimers(tx, first, kinds, at_most - 1)
  const other = following.findIndex(({ kind }) => kind !== first.kind)
  return [first, ...(other < 0 ? following : following.slice(0, other))]
}

const retry_first_ms = 1_000
const retry_max_ms = 3_600_000

async function retryLater(
  { database, log }: Pick<Runtime, 'database' | 'log'>,
  timer: DueTimer,
  error: unknown,
): Promise<'failed' | 'gone'> {
  const { organization_id, id, kind, failures } = timer
  const retry_ms = Math.min(retry_first_ms * 2 ** failures, retry_max_ms)
  const failed = sql`failures = failures + 1, retry_at = app_now() + make_interval(secs => ${retry_ms / 1_000})`
  const marked = await database.transaction({ role: 'app', organization_id }, (tx) => mark(tx, [timer], failed))
  if (marked === 0) return 'gone'
  log.error(
    { organization_id, timer_id: id, kind, failures: failures + 1, pause_ms: retry_ms, err: error },
    'timer_failed',
  )
  return 'failed'
}

interface DueTimer extends Timer {
  id: string
  failures: number
  /** Of a sandbox whose clock was set. */
  clock_at: string | null
}

/** Any number; with the organization's hash it names the lock under which its timers fire. */
const firing_lock = 7_316_413

// A failed timer that waits for its retry holds back the timers of its sequence, whose order matters, and no others.
const is_open = sql`
  fired_at is null and cancelled_at is null
  and not exists (
    select from timers held
    where held.organization_id = timers.organization_id and held.retry_at > app_now()
      and held.fired_at is null and held.cancelled_at is null
      and coalesce(held.sequence_id, held.id) = coalesce(timers.sequence_id, timers.id))`

/**
 * Organizations with a due timer, the one that waits longest first. The engine role sees the timers of all. In a sandbox
 * whose clock was set, business is due by that clock, which may be ahead of real time or behind it.
 */
async function organizationsWithDueTimers(tx: Transaction, kinds: TimerKinds): Promise<string[]> {
  const rows = await tx.rows<{ organization_id: string }>(sql`
    select organization_id from (
      select organization_id, due_at from timers
      where kind = any (${[...kinds.keys()]}) and due_at <= app_now() and ${is_open}
        and (kind = any (${kindsOn(kinds, true)}) or organization_id not in (
          select organization_id from sandbox_clocks where at is not null))
      union all
      select timers.organization_id, due_at from sandbox_clocks c
      join timers on timers.organization_id = c.organization_id and due_at <= coalesce(c.target, c.at)
      where kind = any (${kindsOn(kinds, false)}) and ${is_open}) due
    group by organization_id order by min(due_at) limit ${organizations_per_round_max}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** Returns true when this transaction is now the one that fires timers of the organization, until its end. */
async function lockTimersOf(tx: Transaction, organization_id: string, waits: boolean): Promise<boolean> {
  if (waits) {
    await tx.run(sql`select pg_advisory_xact_lock(${firing_lock}, hashtext(${organization_id}))`)
    return true
  }
  const row = await tx.row<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${firing_lock}, hashtext(${organization_id})) as locked`,
  )
  return row?.locked === true
}

function nextDueTimer(tx: Transaction, organization_id: string, kinds: TimerKinds): Promise<DueTimer | undefined> {
  return tx.row<DueTimer>(sql`
    select id, organization_id, kind, priority, subject_id, sequence_id, due_at, failures,
           (select at from sandbox_clocks where organization_id = ${organization_id}) as clock_at
    from timers
    where organization_id = ${organization_id} and kind = any (${[...kinds.keys()]}) and ${is_open}
      and due_at <= case when kind = any (${kindsOn(kinds, true)}) then app_now() else coalesce(
        (select coalesce(target, at) from sandbox_clocks where organization_id = ${organization_id}), app_now()) end
    order by due_at, priority, sequence_id, id limit 1`)
}

/** Timers due at the same moment with the same priority, in their order. */
async function followingTimers(tx: Transaction, first: DueTimer, kinds: TimerKinds, at_most: number) {
  const { organization_id, id, due_at, priority, clock_at } = first
  const rows = await tx.rows<Omit<DueTimer, 'clock_at'>>(sql`
    select id, organization_id, kind, priority, subject_id, sequence_id, due_at, failures from timers
    where organization_id = ${organization_id} and kind = any (${[...kinds.keys()]}) and ${is_open}
      and due_at = ${due_at} and priority = ${priority} and id <> ${id}
    order by sequence_id, id limit ${at_most}`)
  return rows.map((row) => ({ ...row, clock_at }))
}

/** Notes that timers fired or failed; answers how many of them had not been cancelled or moved since they were read. */
function mark(tx: Transaction, timers: readonly DueTimer[], noted: Sql): Promise<number> {
  const [first] = timers
  const ids = timers.map(({ id }) => id)
  return tx.run(sql`
    update timers set ${noted}
    where organization_id = ${first?.organization_id} and id = any (${ids}) and due_at = ${first?.due_at}
      and fired_at is null and cancelled_at is null`)
}
