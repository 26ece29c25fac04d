import type { AuditBatch, AuditSeal } from './audit-batch.ts'
import type { AuditEntry } from './audit-entry.ts'
import { hashOfBatch, hashOfEntry } from './chain.ts'

export type FindingKind =
  | 'entry_changed'
  | 'entry_missing'
  | 'entry_added'
  | 'entry_moved'
  | 'entry_backdated'
  | 'batch_changed'
  | 'batch_missing'
  | 'chain_broken'
  | 'start_missing'
  | 'seal_differs'
  | 'seal_missing'

/** Something that is not as it was sealed, and where. */
export interface Finding {
  kind: FindingKind
  batch: number | null
  position: number | null
  entry_id: string | null
  words: string
}

/** A seal as somebody kept it; by its hash alone it may be of any batch. */
export interface KeptSeal {
  hash: string
  batch?: number
  sealed_at?: string
  organization_id?: string
}

export interface ChainReport {
  is_whole: boolean
  /** The batches that were looked at; null where there is none. */
  first_batch: number | null
  /** Retention has removed the entries up to the first batch. */
  begins_after_removal: boolean
  entries_checked: number
  seal: Omit<AuditSeal, 'organization_id'>
  seals_compared: number
  /** Kept seals of batches before the first one. */
  seals_before: number
  findings_count: number
  /** The first of them. */
  findings: Finding[]
}

interface Place {
  batch: number
  position: number
}

export const findings_max = 1_000
/** Entries remembered to tell a moved one from one that is gone and one that is new. */
const misplaced_max = 10_000
/** Transactions end within minutes, and the oldest entries are sealed first. */
const backdated_ms = 3_600_000
/** The database lets nobody of the service remove a younger entry. */
const kept_ms_min = 365 * 86_400_000

interface CheckOptions {
  seals: readonly KeptSeal[]
  /** It may begin anywhere: an export of a period. */
  is_part: boolean
}

export type ChainCheck = ReturnType<typeof createChainCheck>

/**
 * Checks a chain, batch by batch in its order, each with the entries that say they are in it. Everything is computed anew
 * from what is shown, so it says the same of a database and of an export.
 */
export function createChainCheck({ seals, is_part }: CheckOptions) {
  const findings: Finding[] = []
  let findings_count = 0
  const note: Note = (kind, { batch = null, position = null, entry_id = null }, words) => {
    findings_count += 1
    if (findings.length < findings_max) findings.push({ kind, batch, position, entry_id, words })
  }
  const order = checkOrder(note, is_part)
  const content = checkEntries(note)
  const kept = compareSeals(note, seals)
  return {
    /** The next batch, with the entries that say they are in it. */
    add(batch: AuditBatch, rows: readonly AuditEntry[]): void {
      order.add(batch)
      kept.add(batch)
      const is_removed = batch === order.ends.first && batch.entries_removed_at !== null
      if (is_removed) for (const row of rows) content.addStray(row)
      else content.add(batch, rows)
    },
    /** An entry that says it is in a batch which is not there. */
    addStray: content.addStray,
    end(): ChainReport {
      const { first, last } = order.ends
      content.end()
      kept.end(first, last)
      const { batch = 0, hash = null, entries_total = 0, sealed_at = null } = last ?? {}
      return {
        is_whole: findings_count === 0,
        first_batch: first?.batch ?? null,
        begins_after_removal: first !== undefined && first.entries_removed_at !== null,
        entries_checked: content.counts.entries_checked,
        seal: { batch, hash, entries_total, sealed_at },
        ...kept.counts,
        ...{ findings_count, findings },
      }
    },
  }
}

type Note = (kind: FindingKind, where: Partial<Omit<Finding, 'kind' | 'words'>>, words: string) => void

/** The batches by themselves, each with the one before it. */
function checkOrder(note: Note, is_part: boolean) {
  const ends: { first?: AuditBatch; last?: AuditBatch } = {}
  const start = ({ batch, previous_hash, entries_removed_at, sealed_at }: AuditBatch) => {
    if (batch === 1 && previous_hash !== null) note('chain_broken', { batch }, 'batch 1 follows another one')
    if (entries_removed_at === null) {
      if (batch > 1 && !is_part) note('start_missing', { batch: 1 }, `the batches before ${batch} are gone`)
    } else if (isTooYoung(sealed_at, entries_removed_at)) {
      const words = `the entries up to batch ${batch} were removed on ${entries_removed_at}, and it was sealed on ${sealed_at} only`
      note('start_missing', { batch }, words)
    }
  }
  const follow = (last: AuditBatch, { batch, previous_hash, entries_total, entries }: AuditBatch) => {
    const next = last.batch + 1
    const replaced = `batch ${last.batch} is not the one that batch ${batch} follows: it, or some before it, were replaced`
    if (batch < next) note('batch_changed', { batch }, `batch ${batch} is there twice`)
    else if (batch > next) note('batch_missing', { batch: next }, `${batchesFrom(next, batch - 1)} gone`)
    else if (previous_hash !== last.hash) note('chain_broken', { batch: last.batch }, replaced)
    else if (entries_total !== last.entries_total + entries.length)
      note('batch_changed', { batch }, `batch ${batch} counts ${entries_total} entries so far, which is not so`)
  }
  return {
    ends,
    add(batch: AuditBatch): void {
      if (hashOfBatch(batch) !== batch.hash) {
        const words = `batch ${batch.batch} was changed: its content has another hash`
        note('batch_changed', { batch: batch.batch }, words)
      }
      if (ends.last) follow(ends.last, batch)
      else start(batch)
      ends.first ??= batch
      ends.last = batch
    },
  }
}

/** The entries of each batch against those that it lists. */
function checkEntries(note: Note) {
  const missing = new Map<string, Place>()
  const extra = new Map<string, Place>()
  const counts = { entries_checked: 0 }
  let newest_at_ms = Number.NEGATIVE_INFINITY
  const remember = (places: Map<string, Place>, id: string, place: Place) => {
    if (places.size < misplaced_max) places.set(id, place)
  }
  const addStray = ({ id, batch, position }: AuditEntry) =>
    remember(extra, id, { batch: batch ?? 0, position: position ?? 0 })
  const checkEntry = (row: AuditEntry, place: Place, hash: string) => {
    const { id: entry_id, occurred_at, position } = row
    const [where, entry] = [{ ...place, entry_id }, entryAt(entry_id, place)]
    counts.entries_checked += 1
    if (hashOfEntry(row) !== hash) note('entry_changed', where, `${entry} was changed`)
    if (position !== place.position)
      note('entry_moved', where, moved(entry_id, place, { ...place, position: position ?? 0 }))
    const at_ms = Date.parse(occurred_at)
    if (at_ms < newest_at_ms - backdated_ms)
      note(
        'entry_backdated',
        where,
        `${entry} is of ${occurred_at}, over an hour before entries that were sealed earlier`,
      )
    newest_at_ms = Math.max(newest_at_ms, at_ms)
  }
  return {
    counts,
    add({ batch, entries }: AuditBatch, rows: readonly AuditEntry[]): void {
      const found = new Map(rows.map((row) => [row.id, row]))
      for (const [index, { id, hash }] of entries.entries()) {
        const row = found.get(id)
        const place = { batch, position: index + 1 }
        found.delete(id)
        if (row) checkEntry(row, place, hash)
        else remember(missing, id, place)
      }
      for (const row of found.values()) addStray(row)
    },
    addStray,
    end(): void {
      for (const [entry_id, place] of missing) {
        const found_at = extra.get(entry_id)
        extra.delete(entry_id)
        if (found_at) note('entry_moved', { ...place, entry_id }, moved(entry_id, place, found_at))
        else note('entry_missing', { ...place, entry_id }, `${entryAt(entry_id, place)} is gone`)
      }
      for (const [entry_id, place] of extra)
        note('entry_added', { ...place, entry_id }, `${entryAt(entry_id, place)} was added: no batch lists it there`)
    },
  }
}

/** The batches that pass against the seals that were kept of them. */
function compareSeals(note: Note, seals: readonly KeptSeal[]) {
  const numbered = Map.groupBy(
    seals.filter(({ batch }) => batch !== undefined && batch > 0),
    ({ batch }) => batch,
  )
  const hashes = new Set(seals.filter(({ batch }) => batch === undefined).map(({ hash }) => hash))
  const counts = { seals_compared: 0, seals_before: 0 }
  const endOf = ({ batch, sealed_at }: KeptSeal, first: AuditBatch | undefined, last: AuditBatch | undefined) => {
    const kept = `batch ${batch}, of which a seal was kept,`
    const is_before = first !== undefined && batch !== undefined && batch < first.batch
    const removed_at = first?.entries_removed_at
    if (!is_before)
      note('seal_missing', { batch: batch ?? null }, `${kept} is not there: the newest is ${last?.batch ?? 0}`)
    else if (removed_at && sealed_at !== undefined && isTooYoung(sealed_at, removed_at))
      note('start_missing', { batch: batch ?? null }, `${kept} was removed although it was sealed on ${sealed_at} only`)
    else counts.seals_before += 1
  }
  return {
    counts,
    add({ batch, hash }: AuditBatch): void {
      for (const seal of numbered.get(batch) ?? []) {
        counts.seals_compared += 1
        const words = `batch ${batch} has the hash ${hash}, and the kept seal has ${seal.hash}: it, or some before it, were replaced`
        if (seal.hash !== hash) note('seal_differs', { batch }, words)
      }
      numbered.delete(batch)
      if (hashes.delete(hash)) counts.seals_compared += 1
    },
    end(first: AuditBatch | undefined, last: AuditBatch | undefined): void {
      for (const seal of [...numbered.values()].flat()) endOf(seal, first, last)
      for (const hash of hashes) note('seal_missing', {}, `no batch has the hash ${hash} of the kept seal`)
    },
  }
}

const isTooYoung = (sealed_at: string, removed_at: string) =>
  Date.parse(removed_at) - Date.parse(sealed_at) < kept_ms_min

const batchesFrom = (first: number, last: number) =>
  first === last ? `batch ${first} is` : `batches ${first} to ${last} are`

const entryAt = (id: string, { batch, position }: Place) => `entry ${id} (batch ${batch}, position ${position})`

const moved = (id: string, from: Place, to: Place) =>
  `entry ${id} was moved from batch ${from.batch}, position ${from.position} to batch ${to.batch}, position ${to.position}`
