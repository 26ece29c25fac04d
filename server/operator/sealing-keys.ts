import { sealedAnswers } from '#core/idempotency.ts'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'
import type { Database, TransactionOptions } from '#db/database.ts'
import { StartRefused } from '#db/start-refused.ts'
import { sealedRecoveryKeys } from '#identity/factors/recovery-codes.ts'
import { sealedTotpSecrets } from '#identity/factors/totp.ts'
import { sealedInvitations } from '#resources/contracts/index.ts'
import { listOrganizations } from '#resources/organizations/index.ts'
import { sealedSigningKeys } from '#webhooks/signature.ts'
import {
  countByKey,
  deleteKeyCheck,
  findKeyChecks,
  insertKeyCheck,
  type KeyCheck,
  lockRotation,
  replaceSealed,
  sealedByOthers,
} from './sealing-keys.store.ts'
import { addKey, openSecretsFile } from './secrets-file.ts'

/** All columns that are stored sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  ...[sealedSigningKeys, sealedInvitations, sealedAnswers],
  ...[sealedTotpSecrets, sealedRecoveryKeys],
]

const batch_rows_max = 500

/**
 * Makes sure, before anything is served, that the secrets file holds every key that stored values need, or throws
 * `StartRefused`. A check value per key tells which keys were ever used; values are counted only when one of those
 * keys is gone from the file.
 */
export async function checkSecrets(database: Database, secrets: Secrets): Promise<void> {
  const checks = await database.transaction({ role: 'operator', read_only: true }, findKeyChecks)
  const altered = checks.find((check) => faultOf(secrets, check) === 'altered')
  if (altered) {
    throw new StartRefused(`the sealing key ${altered.key_id} of the secrets file is not the one that sealed the data`)
  }
  const missing = checks.filter((check) => faultOf(secrets, check) === 'missing')
  if (checks.length === 0 || missing.length > 0) await refuseMissing(database, secrets)
  const [newest] = secrets.sealing_keys
  const isNewest = checks.some(({ key_id }) => key_id === newest?.id)
  if (missing.length === 0 && isNewest) return
  await database.transaction({ role: 'operator' }, async (tx) => {
    for (const { key_id } of missing) await deleteKeyCheck(tx, key_id)
    if (!isNewest) await insertKeyCheck(tx, checkOfNewest(secrets))
  })
}

async function refuseMissing(database: Database, secrets: Secrets): Promise<void> {
  const counts = await countKeys(database, secrets)
  const needed = counts.filter(({ id, rows }) => rows > 0 && !secrets.sealing_keys.some((key) => key.id === id))
  if (needed.length === 0) return
  const words = needed.map(({ id, rows }) => `sealing key ${id}, under which ${rows} values are sealed`).join('; ')
  throw new StartRefused(`the secrets file lacks the ${words}: restore it from its copy`)
}

/** Tells why this process cannot open what is sealed now; null when it can. Another one may have changed the key. */
export async function faultOfSecrets(database: Database, secrets: Secrets): Promise<string | null> {
  const checks = await database.transaction({ role: 'app', read_only: true }, findKeyChecks)
  const closed = checks.find((check) => faultOf(secrets, check) !== null)
  return closed
    ? `values sealed with the key ${closed.key_id} do not open: restart with the current secrets file`
    : null
}

const check_text = Buffer.from('sealed by this key')
const contextOf = (key_id: string) => `sealing canary ${key_id}`

/** A value of no meaning under the newest key. */
function checkOfNewest(secrets: Secrets): KeyCheck {
  const key_id = secrets.sealing_keys[0]?.id ?? ''
  return { key_id, sealed: seal(secrets, check_text, contextOf(key_id)) }
}

function faultOf(secrets: Secrets, { key_id, sealed }: KeyCheck): 'missing' | 'altered' | null {
  if (!secrets.sealing_keys.some(({ id }) => id === key_id)) return 'missing'
  try {
    return unseal(secrets, sealed, contextOf(key_id)).equals(check_text) ? null : 'altered'
  } catch {
    // The tag does not fit: another key has this id now.
    return 'altered'
  }
}

export type KeyCount = Awaited<ReturnType<typeof countKeys>>[number]

/** Counts the stored values by sealing key, newest key first; a key of the file that sealed none counts 0. */
export async function countKeys(database: Database, secrets: Secrets) {
  const counts = new Map(secrets.sealing_keys.map(({ id }) => [id, 0]))
  for (const { organization_id, scope, columns } of await everyPlace(database)) {
    const found = await database.transaction({ ...scope, read_only: true }, (tx) =>
      Promise.all(columns.map((column) => countByKey(tx, organization_id, column))),
    )
    for (const { key_id, rows } of found.flat()) counts.set(key_id, (counts.get(key_id) ?? 0) + rows)
  }
  return [...counts].map(([id, rows]) => ({ id, rows }))
}

interface RotationOptions {
  rows_max?: number
  onBatch?: () => void
}

/**
 * Puts a new sealing key first in the secrets file and seals every stored value with it. While values are left under older
 * keys, after an interruption or from a process that was not restarted yet, it seals those and makes no new key. Processes
 * that run read the file at their next start.
 */
export async function rotateSealingKeys(database: Database, secrets_file: string, options: RotationOptions = {}) {
  // Held by an open transaction and not by a session, which a pooler would hand on to others.
  return database.transaction({ role: 'operator' }, async (tx) => {
    if (!(await lockRotation(tx))) throw new Error('another `stint keys rotate` is running')
    const [newest, ...older] = await countKeys(database, openSecretsFile(secrets_file, false))
    const isLeft = newest !== undefined && older.some(({ rows }) => rows > 0)
    if (!isLeft) addKey(secrets_file)
    const secrets = openSecretsFile(secrets_file, false)
    await database.transaction({ role: 'operator' }, (own) => insertKeyCheck(own, checkOfNewest(secrets)))
    const resealed = await resealAll(database, secrets, options)
    return { keys_made: !isLeft, resealed, sealing_keys: await countKeys(database, secrets) }
  })
}

/**
 * Seals every value anew that another key than the first has sealed, 500 per transaction. It takes up where an earlier
 * run ended, since each value says which key sealed it. Answers how many it sealed.
 */
async function resealAll(
  database: Database,
  secrets: Secrets,
  { rows_max = batch_rows_max, onBatch = () => {} }: RotationOptions,
): Promise<number> {
  const key_id = secrets.sealing_keys[0]?.id ?? ''
  let resealed = 0
  const resealBatch = ({ organization_id, scope }: SealedPlace, column: SealedColumn) =>
    database.transaction(scope, async (tx) => {
      const rows = await sealedByOthers(tx, organization_id, column, { key_id, rows_max })
      const written = rows.map((row) => {
        const context = column.contextOf(row)
        return replaceSealed(tx, column, row, seal(secrets, unseal(secrets, row.sealed, context), context))
      })
      await Promise.all(written)
      return rows.length
    })
  for (const place of await everyPlace(database)) {
    for (const column of place.columns) {
      for (let rows = rows_max; rows === rows_max; resealed += rows) {
        rows = await resealBatch(place, column)
        if (rows > 0) onBatch()
      }
    }
  }
  return resealed
}

/** The rows of one organization, or those of all accounts, and how they are reached. */
interface SealedPlace {
  organization_id: string | null
  scope: TransactionOptions
  columns: readonly SealedColumn[]
}

async function everyPlace(database: Database): Promise<SealedPlace[]> {
  const organizations = await database.transaction({ role: 'lookup', read_only: true }, listOrganizations)
  const of_accounts = sealedColumns.filter((column) => column.of_accounts)
  const of_organizations = sealedColumns.filter((column) => !column.of_accounts)
  return [
    ...organizations.map(({ id: organization_id }) => ({
      ...{ organization_id, scope: { role: 'app', organization_id } as const, columns: of_organizations },
    })),
    { organization_id: null, scope: { role: 'operator' }, columns: of_accounts },
  ]
}
