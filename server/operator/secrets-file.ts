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
import type { SecretKey, Secrets } from '#core/secrets.ts'
import { makeFolder } from '#db/make-folder.ts'

/** Stands in every sealed value, behind one byte of its length. */
const id_form = /^[\w-]{1,64}$/

interface StoredKey {
  id: string
  key: string
}

interface StoredSecrets {
  sealing_keys: StoredKey[]
}

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
  const stored = readStored(path)
  return { sealing_keys: keysOf(path, stored.sealing_keys) }
}

/** Makes a secrets file with one key; never over an existing one, also not over one made this moment. */
export function writeSecretsFile(path: string): void {
  makeFolder(dirname(path))
  const temporary = writeBeside(path, { sealing_keys: [newKey()] })
  try {
    linkSync(temporary, path)
  } finally {
    unlinkSync(temporary)
  }
  syncFolder(path)
}

/** Puts a new sealing key first; the older ones stay, since stored values need them. */
export function addKey(path: string): void {
  const { sealing_keys = [] } = readStored(path)
  const real_path = realpathSync(path)
  const stored = { sealing_keys: [newKey(), ...sealing_keys] }
  renameSync(writeBeside(real_path, stored), real_path)
  syncFolder(real_path)
}

function newKey(): StoredKey {
  return { id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }
}

function readStored(path: string): Partial<StoredSecrets> {
  try {
    // The cast is checked by keysOf, without which no key is used.
    return (JSON.parse(readFileSync(path, 'utf8')) ?? {}) as Partial<StoredSecrets>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Without its cause, whose words quote the file.
    throw new Error(`the secrets file ${path} is not JSON: restore it from its copy`)
  }
}

/** Whole or not at all, and on disk before anything is sealed with it: a key lost in a crash could not be made again. */
function writeBeside(path: string, stored: StoredSecrets): string {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return temporary
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function keysOf(path: string, stored: StoredKey[] | undefined): SecretKey[] {
  const keys = (Array.isArray(stored) ? stored : []).map((entry: Partial<StoredKey> | null) => ({
    id: String(entry?.id ?? ''),
    key: Buffer.from(String(entry?.key ?? ''), 'base64'),
  }))
  const isDistinct = new Set(keys.map(({ id }) => id)).size === keys.length
  if (keys.length === 0 || !isDistinct || keys.some(({ id, key }) => !id_form.test(id) || key.length !== 32)) {
    throw new Error(
      `the secrets file ${path} needs sealing_keys, each of an id of its own (1 to 64 letters, digits, - or _) and 32 bytes in base64`,
    )
  }
  return keys
}
