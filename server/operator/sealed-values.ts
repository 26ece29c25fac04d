import { sealedAnswers } from '#core/idempotency.ts'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'
import type { Database } from '#db/database.ts'
import { sealedInvitations } from '#resources/contracts/index.ts'
import { sealedSigningKeys } from '#webhooks/index.ts'
import { countByKey, countTokensByPepper, organizationIds, replaceSealed, sealedByOthers } from './sealing.store.ts'

/** Everything that is stored sealed. */
export const sealedColumns: readonly SealedColumn[] = [sealedSigningKeys, sealedInvitations, sealedAnswers]

/** Rows by key id. */
export type Counts = ReadonlyMap<string, number>

const batch_rows_max = 500

/** How many stored values each sealing key has sealed; a key of the file that sealed none counts 0. */
export async function countSealed(database: Database, secrets: Secrets): Promise<Counts> {
  const counts = new Map(secrets.sealing_keys.map(({ id }) => [id, 0]))
  for (const organization_id of await everyOrganization(database)) {
    const found = await database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
      Promise.all(sealedColumns.map((column) => countByKey(tx, organization_id, column))),
    )
    for (const { key_id, rows } of found.flat()) counts.set(key_id, (counts.get(key_id) ?? 0) + rows)
  }
  return counts
}

/** How many tokens that still work rest under each pepper; a pepper of the file with none counts 0. */
export async function countPeppered(database: Database, secrets: Secrets): Promise<Counts> {
  const found = await database.transaction({ role: 'lookup', read_only: true }, countTokensByPepper)
  return new Map([
    ...secrets.peppers.map(({ id }) => [id, 0] as const),
    ...found.map(({ key_id, rows }) => [key_id, rows] as const),
  ])
}

/**
 * Seals every value anew that another key than the first has sealed, 500 per transaction. It takes up where an earlier
 * run ended, since each value says which key sealed it. Answers how many it sealed.
 */
export async function resealAll(
  database: Database,
  secrets: Secrets,
  { rows_max = batch_rows_max, onBatch = () => {} }: { rows_max?: number; onBatch?: () => void } = {},
): Promise<number> {
  let resealed = 0
  for (const organization_id of await everyOrganization(database)) {
    for (const column of sealedColumns) {
      for (let rows = rows_max; rows === rows_max; resealed += rows) {
        rows = await resealBatch(database, secrets, organization_id, column, rows_max)
        if (rows > 0) onBatch()
      }
    }
  }
  return resealed
}

function resealBatch(
  database: Database,
  secrets: Secrets,
  organization_id: string,
  column: SealedColumn,
  rows_max: number,
): Promise<number> {
  const key_id = secrets.sealing_keys[0]?.id ?? ''
  return database.transaction({ role: 'app', organization_id }, async (tx) => {
    const rows = await sealedByOthers(tx, organization_id, column, { key_id, rows_max })
    const written = rows.map((row) => {
      const context = column.contextOf(row)
      return replaceSealed(tx, column, row, seal(secrets, unseal(secrets, row.sealed, context), context))
    })
    await Promise.all(written)
    return rows.length
  })
}

function everyOrganization(database: Database): Promise<string[]> {
  return database.transaction({ role: 'lookup', read_only: true }, organizationIds)
}
