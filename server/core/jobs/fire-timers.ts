import { type Sql, sql, type Transaction } from '#db/database.ts'
import { system_actor } from '../caller.ts'
import { collectEffects, recordChange } from '../effects.ts'
import type { Runtime } from '../invoke.ts'
import type { Registry } from '../registry.ts'
import { createJob } from './job.ts'
import type { Timer, TimerDefinition } from './timer.ts'

const organizations_per_round_max = 100

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
      for (const organization_id of waiting) await takeTurn(organization_id, tally)
      // Nothing moved: all is done, or others are at work.
      if (tally.fired + tally.failed === before) break
    }
    if (tally.fired + tally.failed > 0) {
      log.info({ ...tally, duration_ms: Math.round(performance.now() - started_at_ms) }, 'timers_fired')
    }
    return tally.fired
  }
  const takeTurn = async (organization_id: string, tally: Tally) => {
    try {
      for (let turns = 0; turns < timers_per_turn_max && !job.signal.aborted; turns += 1) {
        const firing = await fireNext(runtime, kinds, organization_id)
        if (firing === 'idle') return
        if (firing !== 'gone') tally[firing] += 1
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

/** Carries the rollback of a timer that was cancelled or moved while it was about to fire. */
const gone = new Error('the timer was cancelled or moved')

/** The next due timer of one organization in a transaction of its own: effect, events, audit line and mark, or nothing. */
async function fireNext(
  runtime: Runtime,
  kinds: TimerKinds,
  organization_id: string,
): Promise<keyof Tally | 'gone' | 'idle'> {
  let timer: DueTimer | undefined
  try {
    return await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
      timer = (await lockTimersOf(tx, organization_id)) ? await nextDueTimer(tx, organization_id, kinds) : undefined
      const definition = timer && kinds.get(timer.kind)
      if (!timer || !definition) return 'idle'
      const { kind, subject_id, due_at } = timer
      const { effects, base } = collectEffects(runtime, tx, due_at)
      await definition.fire(timer, { ...base, now: due_at, actor: system_actor })
      // Not locked before its effects: operations lock the business rows first and the timer last, and so does this.
      if (!(await mark(tx, timer, sql`fired_at = app_now(), retry_at = null`))) throw gone
      await recordChange(runtime, tx, effects.events, {
        organization_id,
        actor: system_actor,
        action: kind,
        subject: { kind: effects.subject.kind ?? definition.subject, id: effects.subject.id ?? subject_id },
        changed_fields: effects.subject.changed_fields ?? [],
      })
      return 'fired'
    })
  } catch (error) {
    if (!timer) throw error
    return error === gone ? 'gone' : retryLater(runtime, timer, error)
  }
}

const retry_first_ms = 1_000
const retry_max_ms = 3_600_000

async function retryLater({ database, log }: Runtime, timer: DueTimer, error: unknown): Promise<'failed' | 'gone'> {
  const { organization_id, id, kind, failures } = timer
  const retry_ms = Math.min(retry_first_ms * 2 ** failures, retry_max_ms)
  const failed = sql`failures = failures + 1, retry_at = app_now() + make_interval(secs => ${retry_ms / 1_000})`
  if (!(await database.transaction({ role: 'app', organization_id }, (tx) => mark(tx, timer, failed)))) return 'gone'
  log.error(
    { organization_id, timer_id: id, kind, failures: failures + 1, pause_ms: retry_ms, err: error },
    'timer_failed',
  )
  return 'failed'
}

interface DueTimer extends Timer {
  id: string
  failures: number
}

/** Any number; with the organization's hash it names the lock under which its timers fire. */
const firing_lock = 7_316_413

// A failed timer that waits for its retry holds back the timers of its sequence, whose order matters, and no others.
const is_due = sql`
  fired_at is null and cancelled_at is null and due_at <= app_now()
  and not exists (
    select from timers held
    where held.organization_id = timers.organization_id and held.retry_at > app_now()
      and held.fired_at is null and held.cancelled_at is null
      and coalesce(held.sequence_id, held.id) = coalesce(timers.sequence_id, timers.id))`

/** Organizations with a due timer, the one that waits longest first. The engine role sees the timers of all. */
async function organizationsWithDueTimers(tx: Transaction, kinds: TimerKinds): Promise<string[]> {
  const rows = await tx.rows<{ organization_id: string }>(sql`
    select organization_id from timers where kind = any (${[...kinds.keys()]}) and ${is_due}
    group by organization_id order by min(due_at) limit ${organizations_per_round_max}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** Returns true when this transaction is now the one that fires timers of the organization, until its end. */
async function lockTimersOf(tx: Transaction, organization_id: string): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${firing_lock}, hashtext(${organization_id})) as locked`,
  )
  return row?.locked === true
}

function nextDueTimer(tx: Transaction, organization_id: string, kinds: TimerKinds): Promise<DueTimer | undefined> {
  return tx.row<DueTimer>(sql`
    select id, organization_id, kind, priority, subject_id, sequence_id, due_at, failures from timers
    where organization_id = ${organization_id} and kind = any (${[...kinds.keys()]}) and ${is_due}
    order by due_at, priority, sequence_id, id limit 1`)
}

/** Notes that a timer fired or failed; false when it was cancelled or moved since it was read. */
async function mark(tx: Transaction, { organization_id, id, due_at }: DueTimer, noted: Sql): Promise<boolean> {
  const marked = await tx.run(sql`
    update timers set ${noted}
    where organization_id = ${organization_id} and id = ${id} and due_at = ${due_at}
      and fired_at is null and cancelled_at is null`)
  return marked === 1
}
