import { type Database, type Sql, sql, type Transaction } from '#db/database.ts'
import { canonicalJson } from '../json.ts'
import type { ListBinding } from './list.ts'

/** Up to here the total is counted in the page's own snapshot (0.9 ms); counting 1,000,000 rows takes 46–57 ms. */
const exact_rows_max = 10_000

/** A larger total may be this old. */
const age_max_ms = 5_000

/** From this age on the next reader is served at once and the count is renewed behind it. */
const renew_after_ms = 2_500

const kept_totals_max = 1_000

interface KeptTotal {
  total: number
  counted_at: number
  renewing: boolean
  count: () => Promise<number>
}

/** Exact totals of large lists, kept per organization and filter so that paging does not count them every time. */
export function createTotals(database: Database, now: () => number) {
  const kept = new Map<string, KeptTotal>()
  const keyOf = (binding: ListBinding, updated_after?: string) => canonicalJson([binding, updated_after ?? null])

  const renew = async (entry: KeptTotal) => {
    entry.renewing = true
    try {
      const started_at = now()
      entry.total = await entry.count()
      entry.counted_at = started_at
    } catch {
      // The old total serves until it is too old; then the next reader counts and sees the error itself.
    } finally {
      entry.renewing = false
    }
  }

  return {
    /** A kept total that is fresh enough, else undefined: then it is counted with the page. */
    known(binding: ListBinding, updated_after?: string): number | undefined {
      const key = keyOf(binding, updated_after)
      const entry = kept.get(key)
      if (!entry) return undefined
      const age_ms = now() - entry.counted_at
      if (age_ms > age_max_ms) {
        kept.delete(key)
        return undefined
      }
      if (age_ms > renew_after_ms && !entry.renewing) void renew(entry)
      return entry.total
    },
    /** Counts in the page's own statement, stopping one row above the exact limit. */
    bounded: (from: Sql, filtered: Sql): Sql =>
      sql`select count(*)::int as total_count from (select from ${from} where ${filtered} limit ${exact_rows_max + 1}) counted`,
    /** The total to answer with: the bounded count itself, or the full count, which is then kept. */
    async settle(
      tx: Transaction,
      binding: ListBinding,
      updated_after: string | undefined,
      from: Sql,
      filtered: Sql,
      bounded: number,
    ): Promise<number> {
      if (bounded <= exact_rows_max) return bounded
      const counting = sql`select count(*)::int as total_count from ${from} where ${filtered}`
      const total = (await tx.row<{ total_count: number }>(counting))?.total_count ?? bounded
      const [oldest] = kept.keys()
      if (kept.size >= kept_totals_max && oldest !== undefined) kept.delete(oldest)
      kept.set(keyOf(binding, updated_after), {
        total,
        counted_at: now(),
        renewing: false,
        count: () =>
          database.transaction(
            { role: 'app', organization_id: binding.organization_id, read_only: true },
            async (other) => (await other.row<{ total_count: number }>(counting))?.total_count ?? 0,
          ),
      })
      return total
    },
  }
}

export type Totals = ReturnType<typeof createTotals>
