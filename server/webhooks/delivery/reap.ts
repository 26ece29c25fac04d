import type { Database } from '#db/database.ts'
import { type EndedAttempt, unknownResult } from './attempt.ts'
import { type CompletionParts, complete } from './complete.ts'
import { LeaseWatch } from './lease-watch.ts'
import { type LostLease, leaseTokens, lostLeases } from './reap.store.ts'
import type { RecordedAttempt } from './recorded-rows.ts'
import { prepareTurn } from './turn.store.ts'

export interface ReaperParts extends CompletionParts {
  database: Database
  /** No other process can send from this database: a lease that is not ours belongs to one that has ended. */
  is_alone: boolean
}

const leases_per_pass_max = 500

/** Makes deliveries due again whose worker was lost: the same attempt once more. */
export function createReaper(parts: ReaperParts) {
  const watch = new LeaseWatch()
  return (): Promise<RecordedAttempt[]> =>
    parts.database.transaction({ role: 'engine' }, async (tx) => {
      await prepareTurn(tx)
      const stale_tokens = watch.stale(await leaseTokens(tx), parts.monotonic_ms())
      const only_owner = parts.is_alone ? parts.worker : null
      const lost = await lostLeases(tx, { stale_tokens, only_owner }, leases_per_pass_max)
      if (lost.length === 0) return []
      const ended = lost.map((lease) => endedBy(lease, Date.parse(tx.now), parts))
      const { completed, written } = await complete(tx, ended, parts, 'wait')
      await written
      return completed.recorded
    })
}

function endedBy({ lease_owner, ...claim }: LostLease, now_ms: number, parts: ReaperParts): EndedAttempt {
  return {
    claim,
    id: parts.newId(),
    started_at_ms: now_ms,
    ended_at_ms: parts.monotonic_ms(),
    request_headers: {},
    key_labels: [],
    result: unknownResult('worker_lost', `${lease_owner} did not report its result`),
  }
}
