import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Connection, openDatabase } from '#db/database.ts'
import { comparedWith } from '#db/standby.ts'
import { createJob } from './jobs/job.ts'
import { createCursors, createTotals } from './list.ts'
import { counter, gauge } from './metrics.ts'
import type { Secrets } from './secrets.ts'

const reads = counter(
  'db_replica_reads_total',
  'Lists that might come from the replica, by the server that answered.',
  ['answered_by'],
)
let age_s: (() => number) | undefined
gauge('db_replica_age_seconds', 'The most that the replica is behind; +Inf while it is not read.', [], function () {
  if (age_s) this.set(age_s())
})

/** Between two looks at primary and replica; a read tells at least the time since the last one. */
const look_every_ms = 250
/** A replica without an answer for so long is away. */
const look_max_ms = 2_000

export interface ReplicaParts {
  /** Both as the service connects to them. The replica is one server: what one has replayed says nothing of another. */
  primary: Connection
  replica: Connection
  connections_max: number
  /** It is not read while it may be further behind. */
  age_max_ms: number
  secrets: Secrets
  log: Logger
  /** Time that only moves forward; the process's own unless a test moves it. */
  monotonic_ms?: () => number
  /** Time that one look may take. */
  timeout_ms?: number
}

/** A call that may be answered from a replica. */
interface ReplicaRead {
  caller: { credential_id: string }
  /** The most that the answer may be behind; none: not at all. */
  age_accepted_ms?: number | undefined
}

export type Replica = ReturnType<typeof openReplica>

/** A standby of the primary, for reads that may be a little behind. */
export function openReplica({ replica, connections_max, secrets, age_max_ms, ...parts }: ReplicaParts) {
  const { monotonic_ms = () => performance.now() } = parts
  const database = openDatabase(replica, { connections_max })
  const behind = { database, totals: createTotals(Date.now), cursors: createCursors(secrets, 'replica') }
  const watch = createWatch({ ...parts, replica, age_max_ms, monotonic_ms, cut: database.cut })
  const changes = createChanges()

  /** Null where the read has to go to the primary. */
  function ageFor({ caller, age_accepted_ms = 0 }: ReplicaRead): number | null {
    const shown_ms = watch.shownMs()
    const age_ms = Math.ceil(monotonic_ms() - shown_ms)
    const is_shown = changes.lastOf(caller.credential_id, shown_ms) < shown_ms
    // Between two looks an age of 0 is one that was rounded, or that of a clock which stands.
    const is_near = age_accepted_ms > 0 && age_ms <= Math.min(age_max_ms, age_accepted_ms)
    return is_shown && is_near ? age_ms : null
  }

  return {
    /**
     * Does a read on the replica where that is near enough, and tells the age of what was read; undefined: the primary has
     * to be asked. So it has after any failure, a refusal included: what is refused may only not have arrived.
     */
    async read<Answer extends object>(call: ReplicaRead, work: (on: typeof behind) => Promise<Answer>) {
      const read_age_ms = ageFor(call)
      const answer = read_age_ms === null ? null : await work(behind).catch(() => null)
      reads.inc({ answered_by: answer ? 'replica' : 'primary' })
      return answer && read_age_ms !== null ? { ...answer, read_age_ms } : undefined
    },
    /** A change has committed: its maker reads at the primary until the replica shows it. */
    changed: (credential_id: string) => changes.note(credential_id, monotonic_ms()),
    /** The reason why it is not read; null while it is. */
    fault: watch.fault,
    look: watch.look,
    start: watch.start,
    async close(): Promise<void> {
      await watch.close()
      await database.close()
    },
  }
}

const silent = 'it does not answer'

interface WatchParts extends Pick<ReplicaParts, 'primary' | 'replica' | 'age_max_ms' | 'log' | 'timeout_ms'> {
  monotonic_ms: () => number
  /** Breaks the connections that reads are made on. */
  cut(): void
}

/** Looks again and again how far the replica is behind. */
function createWatch({ primary, replica, age_max_ms, log, monotonic_ms, cut, timeout_ms = look_max_ms }: WatchParts) {
  // On connections of its own: they tell the truth also while calls hold all others.
  const asked = {
    primary: openDatabase(primary, { connections_max: 1 }),
    standby: openDatabase(replica, { connections_max: 1 }),
  }
  const compare = comparedWith(asked, monotonic_ms)
  /** Everything committed by then is shown. */
  let shown_ms = Number.NEGATIVE_INFINITY
  let fault: string | null = 'it was not looked at yet'
  let told: string | null = null
  const ageMs = () => monotonic_ms() - shown_ms
  const faultNow = () => fault ?? (ageMs() > age_max_ms ? `it is more than ${age_max_ms} ms behind` : null)

  /** Never rejects. */
  async function look(): Promise<void> {
    const found = await within(compare(), timeout_ms).catch((error: Error) => ({ fault: error.message }))
    shown_ms = 'fault' in found ? Number.NEGATIVE_INFINITY : found.shown_ms
    fault = 'fault' in found ? found.fault : null
    // Reads under way on a server that stands still would wait for as long as it does; they go on at the primary.
    if (fault === silent) for (const one of [{ cut }, asked.standby, asked.primary]) one.cut()
    const now = faultNow()
    if (now !== null && told === null) log.warn({ reason: now }, 'replica_left')
    if (now === null && told !== null) log.info('replica_read')
    told = now
  }

  const job = createJob(async () => {
    await look()
    return look_every_ms
  })
  age_s = () => (faultNow() === null ? ageMs() / 1_000 : Number.POSITIVE_INFINITY)
  return {
    look,
    shownMs: () => shown_ms,
    fault: faultNow,
    start: job.start,
    async close() {
      age_s = undefined
      await job.stop()
      await Promise.all([asked.primary.close(), asked.standby.close()])
    },
  }
}

async function within<Result>(work: Promise<Result>, timeout_ms: number): Promise<Result> {
  const ended = new AbortController()
  const late = sleep(timeout_ms, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(silent)
  })
  // One of the two is looked at by nobody.
  for (const one of [work, late]) one.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
  }
}

/** Credentials whose last change is kept. */
const changes_max = 10_000

/** The last change of each credential that the replica may not show yet. */
function createChanges() {
  const changed_ms = new Map<string, number>()
  /** Of credentials that are not kept. */
  let others_ms = Number.NEGATIVE_INFINITY
  return {
    note(credential_id: string, at_ms: number): void {
      // The oldest stands first.
      changed_ms.delete(credential_id)
      changed_ms.set(credential_id, at_ms)
      const [oldest] = changed_ms
      if (changed_ms.size <= changes_max || !oldest) return
      changed_ms.delete(oldest[0])
      others_ms = oldest[1]
    },
    /** When a credential last changed something; those that the replica shows are forgotten. */
    lastOf(credential_id: string, shown_ms: number): number {
      for (const [id, at_ms] of changed_ms) {
        if (at_ms >= shown_ms) break
        changed_ms.delete(id)
      }
      return changed_ms.get(credential_id) ?? others_ms
    },
  }
}
