import type { RowFrom } from '#core/resource.ts'
import { raw, sql, type Transaction } from '#db/database.ts'
import { type AuditBatch, auditBatch } from './audit-batch.ts'
import { type AuditEntry, auditEntry } from './audit-entry.ts'
import { type ChainCheck, findings_max } from './check-chain.ts'

/** Up to 10,000 entries are held at a time. */
const batches_per_read_max = 100

/** Puts the chain of an organization through a check, in the snapshot of the transaction. */
export async function checkStored(tx: Transaction, organization_id: string, check: ChainCheck) {
  let [first, last]: number[] = []
  for (;;) {
    const batches = await batchesAfter(tx, organization_id, last ?? 0)
    const [lowest, highest] = [batches[0], batches.at(-1)]
    if (!lowest || !highest) break
    const rows = await entriesIn(tx, organization_id, lowest.batch, highest.batch)
    const by_batch = Map.groupBy(rows, ({ batch }) => batch)
    for (const batch of batches) check.add(batch, by_batch.get(batch.batch) ?? [])
    first ??= lowest.batch
    last = highest.batch
  }
  for (const entry of await entriesOutside(tx, organization_id, first ?? 0, last ?? 0)) check.addStray(entry)
  const unsealed = await tx.row<{ count: number; oldest_at: string | null }>(sql`
    select count(*)::int as count, min(occurred_at) as oldest_at from audit_entries
    where organization_id = ${organization_id} and batch is null`)
  return unsealed ?? { count: 0, oldest_at: null }
}

async function batchesAfter(tx: Transaction, organization_id: string, batch: number): Promise<AuditBatch[]> {
  const rows = await tx.rows<RowFrom<typeof auditBatch>>(sql`
    select ${auditBatch.columns} from ${auditBatch.tables} where organization_id = ${organization_id} and batch > ${batch}
    order by batch limit ${raw(String(batches_per_read_max))}`)
  return rows.map((row) => auditBatch.show(row))
}

async function entriesIn(tx: Transaction, organization_id: string, from: number, to: number): Promise<AuditEntry[]> {
  const rows = await tx.rows<RowFrom<typeof auditEntry>>(sql`
    select ${auditEntry.columns} from ${auditEntry.tables}
    where organization_id = ${organization_id} and batch between ${from} and ${to}`)
  return rows.map((row) => auditEntry.show(row))
}

/** Entries that say they are in a batch before the first or after the last; more than these are not named. */
async function entriesOutside(tx: Transaction, organization_id: string, first: number, last: number) {
  const rows = await tx.rows<RowFrom<typeof auditEntry>>(sql`
    select ${auditEntry.columns} from ${auditEntry.tables}
    where organization_id = ${organization_id} and (batch < ${first} or batch > ${last})
    order by batch, position limit ${raw(String(findings_max))}`)
  return rows.map((row) => auditEntry.show(row))
}
