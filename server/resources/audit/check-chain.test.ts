import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AuditBatch } from './audit-batch.ts'
import type { AuditEntry } from './audit-entry.ts'
import { nextBatches } from './chain.ts'
import { createChainCheck, type KeptSeal } from './check-chain.ts'

const organization_id = '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const nullable = fc.option(text)

/** Entries a second apart. */
const entries: fc.Arbitrary<AuditEntry[]> = fc
  .array(
    fc.record({
      ...{
        id: fc.uuid(),
        action: text,
        credential_id: nullable,
        request_id: nullable,
        ip: nullable,
        surface: nullable,
      },
      actor: fc.record({ kind: fc.constantFrom('user', 'token'), id: nullable, name: text }),
      subject: fc.record({ kind: text, id: nullable }),
      changed_fields: fc.array(text, { maxLength: 3 }),
    }),
    { minLength: 3, maxLength: 12 },
  )
  .map((made) =>
    made.map((entry, second) => ({
      ...entry,
      ...{ occurred_at: new Date(1_767_225_600_000 + second * 1_000).toISOString(), batch: null, position: null },
    })),
  )

interface Export {
  batches: AuditBatch[]
  entries: AuditEntry[]
}

/** A chain over the entries, two in each run. */
function exported(made: readonly AuditEntry[]): Export {
  const batches: AuditBatch[] = []
  for (let at = 0; at < made.length; at += 2) {
    const now = made[at]?.occurred_at ?? ''
    batches.push(...nextBatches(organization_id, batches.at(-1), made.slice(at, at + 2), now))
  }
  const sealed = batches.flatMap(({ batch, entries }) => entries.map((_, index) => ({ batch, position: index + 1 })))
  return { batches, entries: made.map((entry, place) => ({ ...entry, ...sealed[place] })) }
}

function checked({ batches, entries }: Export, seals: readonly KeptSeal[] = [], is_part = false) {
  const check = createChainCheck({ seals, is_part })
  for (const batch of batches) {
    check.add(
      batch,
      entries.filter((entry) => entry.batch === batch.batch),
    )
  }
  for (const entry of entries) if (!batches.some(({ batch }) => batch === entry.batch)) check.addStray(entry)
  return check.end()
}

type Path = (string | number)[]

/** Paths of all plain values but those that no hash has to cover. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return path.at(-1) === 'entries_removed_at' ? [] : [path]
  return Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))
}

function withChange(log: Export, path: Path): Export {
  const changed = structuredClone(log)
  const name = path.at(-1) ?? ''
  // biome-ignore lint/suspicious/noExplicitAny: any value of the export is changed
  const holder = path.slice(0, -1).reduce((inner: any, part) => inner[part], changed)
  const value = holder[name]
  holder[name] = typeof value === 'number' ? value + 1 : value === null ? '' : `${value}x`
  return changed
}

test('a log is whole after a way through JSON, and no value of it can be changed without being found', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (made, which) => {
      const log = JSON.parse(JSON.stringify(exported(made))) as Export
      assert.deepEqual(checked(log).findings, [])
      const paths = pathsIn(log)
      const path = paths[which % paths.length] ?? []
      assert.equal(checked(withChange(log, path)).is_whole, false, path.join('.'))
    }),
    { numRuns: 500 },
  )
})

test('no entry and no batch can be left out, and no two can be exchanged, without being found', () => {
  fc.assert(
    fc.property(entries, fc.nat(), fc.nat(), (made, one, another) => {
      const log = exported(made)
      const seals = [{ ...log.batches.at(-1), hash: log.batches.at(-1)?.hash ?? '' }]
      const without = <Item>(items: readonly Item[]) => items.toSpliced(one % items.length, 1)
      assert.equal(checked({ ...log, entries: without(log.entries) }, seals).is_whole, false)
      assert.equal(checked({ ...log, batches: without(log.batches) }, seals).is_whole, false)
      const [a, b] = [log.entries[one % log.entries.length], log.entries[another % log.entries.length]]
      if (!a || !b || a === b) return
      const exchanged = log.entries.map((entry) =>
        entry === a ? { ...a, id: b.id } : entry === b ? { ...b, id: a.id } : entry,
      )
      assert.equal(checked({ ...log, entries: exchanged }).is_whole, false)
    }),
    { numRuns: 300 },
  )
})

test('an export of a period is whole by itself, and links with the seal after it', () => {
  fc.assert(
    fc.property(entries, (made) => {
      const log = exported(made)
      const [, ...batches] = log.batches
      const part = { batches, entries: log.entries.filter(({ batch }) => batch !== 1) }
      const seal = { batch: batches.at(-1)?.batch ?? 0, hash: batches.at(-1)?.hash ?? '' }
      const { findings, first_batch, seals_compared, seals_before } = checked(
        part,
        [seal, { batch: 1, hash: '' }],
        true,
      )
      assert.deepEqual([findings, first_batch, seals_compared, seals_before], [[], 2, 1, 1])
      assert.equal(checked(part).findings[0]?.kind, 'start_missing', 'of a whole log nothing may be missing')
    }),
    { numRuns: 50 },
  )
})
