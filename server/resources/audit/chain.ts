import { hash } from 'node:crypto'
import { canonicalJson } from '#core/json.ts'
import type { AuditBatch } from './audit-batch.ts'
import type { AuditEntry } from './audit-entry.ts'

/**
 * The chain of the audit log, described for auditors in docs/guides/audit-log.md: every hash is the SHA-256 of a value's
 * JSON with sorted keys, no spaces and nothing escaped that need not be (RFC 8785), in UTF-8.
 */

/** Stands in every batch; another choice of members, or another way to hash, gets the next number. */
const format = 1

/** A batch is read, and its entries are named, as a whole. */
export const batch_entries_max = 100

/** The hash of an entry, as answers show it. Its batch and position are not in it: the batch lists it at its place. */
export function hashOfEntry(entry: AuditEntry): string {
  const { id, occurred_at, actor, credential_id, action, subject, changed_fields, request_id, ip, surface } = entry
  return hashOf({ id, occurred_at, actor, credential_id, action, subject, changed_fields, request_id, ip, surface })
}

/** The hash of a batch: of all its members but the hash and what happened to it afterwards. */
export function hashOfBatch(content: BatchContent): string {
  const { organization_id, batch, previous_hash, sealed_at, entries_total, entries } = content
  return hashOf({ format: content.format, organization_id, batch, previous_hash, sealed_at, entries_total, entries })
}

type BatchContent = Omit<AuditBatch, 'hash' | 'entries_removed_at'>

const hashOf = (value: object) => hash('sha256', canonicalJson(value), 'hex')

/** The part of a batch that the next one goes on from. */
export type ChainEnd = Pick<AuditBatch, 'batch' | 'hash' | 'entries_total' | 'sealed_at'>

/** The batches that follow the end of a chain with these entries of one organization; undefined begins one. */
export function nextBatches(
  organization_id: string,
  end: ChainEnd | undefined,
  entries: readonly AuditEntry[],
  now: string,
): AuditBatch[] {
  const batches: AuditBatch[] = []
  let last = end
  for (let at = 0; at < entries.length; at += batch_entries_max) {
    const taken = entries.slice(at, at + batch_entries_max)
    const content: BatchContent = {
      organization_id,
      batch: (last?.batch ?? 0) + 1,
      format,
      previous_hash: last?.hash ?? null,
      // Not before the former one, also where the clock went back.
      sealed_at: last && last.sealed_at > now ? last.sealed_at : now,
      entries_total: (last?.entries_total ?? 0) + taken.length,
      entries: taken.map((entry) => ({ id: entry.id, hash: hashOfEntry(entry) })),
    }
    const batch = { ...content, hash: hashOfBatch(content), entries_removed_at: null }
    batches.push(batch)
    last = batch
  }
  return batches
}
