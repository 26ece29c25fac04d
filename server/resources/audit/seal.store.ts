import type { Tenant } from '#core/caller.ts'
import type { RowFrom } from '#core/resource.ts'
import { raw, sql, type Transaction } from '#db/database.ts'
import type { AuditBatch, AuditSeal } from './audit-batch.ts'
import { type AuditEntry, auditEntry } from './audit-entry.ts'
import type { ChainEnd } from './chain.ts'

/** Any number; the same in every process. */
const seal_lock = 7_316_414

/** False while somebody else seals. A statement of its own: the next one, whose snapshot is later, sees all that was sealed before. */
export async function lockChains(tx: Transaction): Promise<boolean> {
  const lock = await tx.row<{ is_ours: boolean }>(sql`select pg_try_advisory_xact_lock(${seal_lock}) as is_ours`)
  return lock?.is_ours === true
}

/** Entries sealed in one transaction. */
export const sealed_entries_max = 1_000

/** The oldest committed entries of all organizations that are in no batch. */
export async function unsealedEntries(tx: Transaction): Promise<(Tenant & { entry: AuditEntry })[]> {
  const rows = await tx.rows<RowFrom<typeof auditEntry>>(sql`
    select ${auditEntry.columns} from ${auditEntry.tables} where audit_entries.batch is null
    order by audit_entries.id limit ${raw(String(sealed_entries_max))}`)
  return rows.map((row) => ({ organization_id: row.organization_id, entry: auditEntry.show(row) }))
}

/** The ends of the chains of these organizations; those without a batch have none. */
export async function chainEnds(tx: Transaction, organization_ids: readonly string[]) {
  const rows = await tx.rows<ChainEnd & Tenant>(sql`
    select b.organization_id, b.batch, encode(b.hash, 'hex') as hash, b.entries_total::float8 as entries_total, b.sealed_at
    from unnest(${organization_ids}::uuid[]) o (id)
    cross join lateral (
      select * from audit_batches where organization_id = o.id order by batch desc limit 1) b`)
  return new Map(rows.map((row) => [row.organization_id, row]))
}

/** Writes batches, and into their entries where they are. */
export async function insertBatches(tx: Transaction, batches: readonly AuditBatch[]): Promise<void> {
  const rows = batches.map(({ entries, hash, previous_hash, ...batch }) => ({
    ...batch,
    previous_hash: previous_hash && bytes(previous_hash),
    entry_ids: entries.map(({ id }) => id),
    entry_hashes: entries.map((entry) => bytes(entry.hash)),
    hash: bytes(hash),
  }))
  tx.insert(sql`
    insert into audit_batches
    select * from json_populate_recordset(null::audit_batches, ${JSON.stringify(rows)}::json)`)
  const places = batches.flatMap(({ organization_id, batch, entries }) =>
    entries.map(({ id }, index) => ({ organization_id, id, batch, position: index + 1 })),
  )
  // To the planner those that wait are a row or a few, whatever their number: with a nested loop it compared each of them with
  // each of these (190 ms for 1,000, 0.7 s where 10,000 waited; now 50).
  tx.send(sql`set local enable_nestloop = off`)
  const marked = await tx.run(sql`
    update audit_entries e set batch = p.batch, position = p.position
    from json_to_recordset(${JSON.stringify(places)}::json) p (organization_id uuid, id uuid, batch int, position int)
    where e.organization_id = p.organization_id and e.id = p.id and e.batch is null`)
  if (marked !== places.length) throw new Error(`${marked} of ${places.length} entries could be sealed`)
}

/** A bytea as JSON holds it. */
const bytes = (hash: string) => `\\x${hash}`

/** Seconds that the oldest entry has waited to be sealed. */
export async function readSealLag(tx: Transaction): Promise<number> {
  const row = await tx.row<{ lag_s: number }>(sql`
    select greatest(0, extract(epoch from app_now() - occurred_at))::float8 as lag_s from audit_entries
    where batch is null order by id limit 1`)
  return row?.lag_s ?? 0
}

export async function sealOf(tx: Transaction, { organization_id }: Tenant): Promise<AuditSeal> {
  const end = (await chainEnds(tx, [organization_id])).get(organization_id)
  return end ?? { organization_id, batch: 0, hash: null, entries_total: 0, sealed_at: null }
}

/**
 * Removes the entries of batches that were sealed more than so many days ago, the oldest first, and those batches but the
 * last of each organization, with which its chain begins. Answers how many entries went: fewer than the most when no more
 * are due.
 */
export async function removeBatches(tx: Transaction, days: number, rows_max: number): Promise<number> {
  const row = await tx.row<{ removed: number }>(sql`
    with due as (
      select organization_id, max(batch) as batch
      from (
        select organization_id, batch, entries,
          sum(entries) over (order by sealed_at, organization_id, batch rows unbounded preceding) as entries_to_here
        from (
          select organization_id, batch, sealed_at, cardinality(entry_ids) as entries from audit_batches
          where entries_removed_at is null and sealed_at < app_now() - ${days} * interval '1 day'
          order by sealed_at, organization_id, batch limit ${rows_max}) oldest) counted
      where entries_to_here - entries < ${rows_max}
      group by organization_id
    ), removed as (
      delete from audit_entries e using due d where e.organization_id = d.organization_id and e.batch <= d.batch returning 1
    ), forgotten as (
      delete from audit_batches b using due d where b.organization_id = d.organization_id and b.batch < d.batch
    ), kept as (
      update audit_batches b set entries_removed_at = app_now() from due d
      where b.organization_id = d.organization_id and b.batch = d.batch
    )
    select count(*)::int as removed from removed`)
  return row?.removed ?? 0
}
