import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Value } from 'typebox/value'
import { Type } from '#core/schema/schema.ts'
import type { Secrets } from '#core/secrets.ts'
import { makeFolder } from '#db/make-folder.ts'

/** The id stands in every sealed value, behind one byte of its length; the key is 32 bytes in base64. */
const StoredKey = Type.Object({
  id: Type.String({ pattern: '^[\\w-]{1,64}$' }),
  key: Type.String({ pattern: '^[\\w+/-]{43}=?$' }),
})
const StoredSecrets = Type.Object({ sealing_keys: Type.Array(StoredKey, { minItems: 1 }) })

/**
 * Reads the secrets file: `{ "sealing_keys": [{ "id", "key" }] }`, each key 32 bytes in base64, newest first. Files of
 * earlier releases hold `peppers` too, which are ignored. Where it may be made (`create`), a missing one is made with mode 0600.
 */
export function openSecretsFile(path: string, create: boolean): Secrets {
  if (!existsSync(path)) {
    if (!create)
      throw new Error(`the secrets file ${path} does not exist: restore it, or make one with \`stint keys create\``)
    writeSecretsFile(path)
  }
  return { sealing_keys: readKeys(path).map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })) }
}

/** Makes a secrets file with one key; never over an existing one, also not over one made this moment. */
export function writeSecretsFile(path: string): void {
  makeFolder(dirname(path))
  const temporary = writeBeside(path, [])
  try {
    linkSync(temporary, path)
  } finally {
    unlinkSync(temporary)
  }
  syncFolder(path)
}

/** Puts a new sealing key first; the older ones stay, since stored values need them. */
export function addKey(path: string): void {
  const real_path = realpathSync(path)
  renameSync(writeBeside(real_path, readKeys(path)), real_path)
  syncFolder(real_path)
}

function readKeys(path: string): { id: string; key: string }[] {
  const stored = parsed(path)
  const keys = Value.Check(StoredSecrets, stored) ? stored.sealing_keys : []
  if (keys.length === 0 || new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new Error(
      `the secrets file ${path} needs sealing_keys, each of an id of its own (1 to 64 letters, digits, - or _) and 32 bytes in base64`,
    )
  }
  return keys
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Without its cause, whose words quote the file.
    throw new Error(`the secrets file ${path} is not JSON: restore it from its copy`)
  }
}

/**
 * Writes a new key and the older ones to a file beside: whole or not at all, and on disk before anything is sealed with
 * the key, since one lost in a crash could not be made again.
 */
function writeBeside(path: string, older: { id: string; key: string }[]): string {
  const made = { id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const text = `${JSON.stringify({ sealing_keys: [made, ...older] }, null, 2)}\n`
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true })
  return temporary
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
