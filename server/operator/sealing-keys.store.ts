import type { SealedColumn } from '#core/secrets.ts'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'

/** Id of the sealing key, read from the value itself. */
const keyIdIn = (column: string): Sql =>
  raw(`convert_from(substring(${column} from 2 for get_byte(${column}, 0)), 'UTF8')`)

/** Rows of one organization, or of all accounts: those of the others are none of them. */
function sealedRows({ table, column, where, of_accounts }: SealedColumn, organization_id: string | null): Sql {
  const whose = of_accounts ? sql`true` : sql`organization_id = ${organization_id}`
  const holds = sql`${raw(table)} where ${whose} and ${raw(column)} is not null`
  return where ? sql`${holds} and ${where}` : holds
}

/** Number of values of one organization, or of all accounts, that each key has sealed. */
export function countByKey(
  tx: Transaction,
  organization_id: string | null,
  sealed: SealedColumn,
): Promise<{ key_id: string; rows: number }[]> {
  return tx.rows(sql`
    select ${keyIdIn(sealed.column)} as key_id, count(*)::int as rows
    from ${sealedRows(sealed, organization_id)} group by 1`)
}

export interface SealedRow extends Record<string, unknown> {
  organization_id: string | null
  sealed: Buffer
}

/** Values that another key than the given one has sealed, locked for their change. */
export function sealedByOthers(
  tx: Transaction,
  organization_id: string | null,
  sealed: SealedColumn,
  { key_id, rows_max }: { key_id: string; rows_max: number },
): Promise<SealedRow[]> {
  return tx.rows<SealedRow>(sql`
    select ${raw(sealed.of_accounts ? 'null' : 'organization_id')} as organization_id, ${raw(sealed.key.join(', '))},
           ${raw(sealed.column)} as sealed
    from ${sealedRows(sealed, organization_id)} and ${keyIdIn(sealed.column)} <> ${key_id}
    order by ${raw(sealed.key.join(', '))} limit ${rows_max} for update`)
}

export async function replaceSealed(
  tx: Transaction,
  { table, column, key, of_accounts }: SealedColumn,
  row: SealedRow,
  sealed: Buffer,
): Promise<void> {
  const names = of_accounts ? key : ['organization_id', ...key]
  const place = join(
    names.map((name) => sql`${raw(name)} = ${row[name]}`),
    ' and ',
  )
  await tx.run(sql`update ${raw(table)} set ${raw(column)} = ${sealed} where ${place}`)
}

export interface KeyCheck {
  key_id: string
  sealed: Buffer
}

export function findKeyChecks(tx: Transaction): Promise<KeyCheck[]> {
  return tx.rows<KeyCheck>(sql`select key_id, sealed from key_checks order by created_at`)
}

export async function insertKeyCheck(tx: Transaction, { key_id, sealed }: KeyCheck): Promise<void> {
  await tx.run(sql`
    insert into key_checks (key_id, sealed) values (${key_id}, ${sealed}) on conflict (key_id) do nothing`)
}

export async function deleteKeyCheck(tx: Transaction, key_id: string): Promise<void> {
  await tx.run(sql`delete from key_checks where key_id = ${key_id}`)
}

/** Any number; one rotation at a time over all processes. */
const rotation_lock = 7_316_413

/** True when this transaction now is the only one that rotates secrets. */
export async function lockRotation(tx: Transaction): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${rotation_lock}::bigint) as locked`,
  )
  return row?.locked ?? false
}
