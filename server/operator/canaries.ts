import { type Secrets, seal, unseal } from '#core/secrets.ts'
import type { Database } from '#db/database.ts'
import { countPeppered, countSealed } from './sealed-values.ts'
import { deleteCanary, findCanaries, insertCanary } from './sealing.store.ts'

const contextOf = (key_id: string) => `sealing canary ${key_id}`
const song = Buffer.from('sealed by this key')

/** What keeps these secrets from opening what is stored; the words are for the operator. */
export class SecretsMismatch extends Error {
  override readonly name = 'SecretsMismatch'
}

/**
 * Makes sure, before anything is served, that the secrets file holds every key that stored values or living tokens need,
 * or throws `SecretsMismatch`. The canaries tell which sealing keys were ever used; values are counted only when one of
 * those keys is gone from the file.
 */
export async function checkSecrets(database: Database, secrets: Secrets): Promise<void> {
  const canaries = await database.transaction({ role: 'operator', read_only: true }, findCanaries)
  for (const canary of canaries) {
    const fault = faultOf(secrets, canary)
    if (fault === 'altered')
      throw new SecretsMismatch(
        `the sealing key ${canary.key_id} of the secrets file is not the one that sealed the data`,
      )
  }
  const isUnsure = canaries.length === 0 || canaries.some((canary) => faultOf(secrets, canary) === 'missing')
  if (isUnsure)
    refuseMissing('sealing key', 'values are sealed', secrets.sealing_keys, await countSealed(database, secrets))
  refuseMissing('pepper', 'living tokens rest', secrets.peppers, await countPeppered(database, secrets))
  const unused = canaries.filter((canary) => faultOf(secrets, canary) === 'missing')
  const [newest] = secrets.sealing_keys
  const isNewest = canaries.some(({ key_id }) => key_id === newest?.id)
  if (unused.length === 0 && isNewest) return
  await database.transaction({ role: 'operator' }, async (tx) => {
    for (const { key_id } of unused) await deleteCanary(tx, key_id)
    if (!isNewest) await insertCanary(tx, canaryOf(secrets))
  })
}

/** Whether this process can open what is sealed now: null, or what is wrong. Another one may have changed the key. */
export async function faultOfSecrets(database: Database, secrets: Secrets): Promise<string | null> {
  const canaries = await database.transaction({ role: 'app', read_only: true }, findCanaries)
  const closed = canaries.find((canary) => faultOf(secrets, canary) !== null)
  return closed
    ? `values sealed with the key ${closed.key_id} do not open: restart with the current secrets file`
    : null
}

/** A value of no meaning under the newest key. */
export function canaryOf(secrets: Secrets) {
  const key_id = secrets.sealing_keys[0]?.id ?? ''
  return { key_id, sealed: seal(secrets, song, contextOf(key_id)) }
}

function faultOf(
  secrets: Secrets,
  { key_id, sealed }: { key_id: string; sealed: Buffer },
): 'missing' | 'altered' | null {
  if (!secrets.sealing_keys.some(({ id }) => id === key_id)) return 'missing'
  try {
    return unseal(secrets, sealed, contextOf(key_id)).equals(song) ? null : 'altered'
  } catch {
    // The tag does not fit: another key has this id now.
    return 'altered'
  }
}

function refuseMissing(
  what: string,
  need: string,
  held: readonly { id: string }[],
  counts: ReadonlyMap<string, number>,
): void {
  const missing = [...counts].filter(([id, rows]) => rows > 0 && !held.some((key) => key.id === id))
  if (missing.length === 0) return
  const needs = missing.map(([id, rows]) => `${what} ${id}, under which ${rows} ${need}`).join('; ')
  throw new SecretsMismatch(`the secrets file lacks the ${needs}: restore it from its copy`)
}
