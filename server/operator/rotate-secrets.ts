import type { Secrets } from '#core/secrets.ts'
import type { Database } from '#db/database.ts'
import { canaryOf } from './canaries.ts'
import { countPeppered, countSealed, resealAll } from './sealed-values.ts'
import { insertCanary, lockRotation } from './sealing.store.ts'
import { addKeys, openSecretsFile } from './secrets-file.ts'

export interface KeyCount {
  id: string
  rows: number
}

/** What rests under which key, newest first. */
export interface KeyCounts {
  sealing_keys: KeyCount[]
  peppers: KeyCount[]
}

export interface SecretsRotation extends KeyCounts {
  /** False when an earlier rotation was only finished. */
  keys_made: boolean
  /** Values sealed anew. */
  resealed: number
}

/**
 * Puts a new sealing key and pepper first in the secrets file and seals every stored value with the new key. While
 * values are left under older keys, after an interruption or from a process that was not restarted yet, it seals those
 * and makes no new keys. Processes that run read the file at their next start.
 */
export async function rotateSecrets(
  database: Database,
  secrets_file: string,
  options: Parameters<typeof resealAll>[2] = {},
): Promise<SecretsRotation> {
  // Held by an open transaction and not by a session, which a pooler would hand on to others.
  return database.transaction({ role: 'operator' }, async (tx) => {
    if (!(await lockRotation(tx))) throw new Error('another `stint keys rotate` is running')
    return rotate(database, secrets_file, options)
  })
}

async function rotate(
  database: Database,
  secrets_file: string,
  options: Parameters<typeof resealAll>[2],
): Promise<SecretsRotation> {
  const before = openSecretsFile(secrets_file, false)
  const left = [...(await countSealed(database, before))].some(
    ([id, rows]) => id !== before.sealing_keys[0]?.id && rows > 0,
  )
  if (!left) addKeys(secrets_file)
  const secrets = openSecretsFile(secrets_file, false)
  await database.transaction({ role: 'operator' }, (tx) => insertCanary(tx, canaryOf(secrets)))
  const resealed = await resealAll(database, secrets, options)
  return { keys_made: !left, resealed, ...(await countKeys(database, secrets)) }
}

export async function countKeys(database: Database, secrets: Secrets): Promise<KeyCounts> {
  const listed = (counts: ReadonlyMap<string, number>) => [...counts].map(([id, rows]) => ({ id, rows }))
  return {
    sealing_keys: listed(await countSealed(database, secrets)),
    peppers: listed(await countPeppered(database, secrets)),
  }
}
