import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { SecretKey, Secrets } from '#core/secrets.ts'

interface StoredKey {
  id: string
  key: string
}

interface StoredSecrets {
  sealing_keys: StoredKey[]
  peppers: StoredKey[]
}

/**
 * Reads the secrets file: `{ "sealing_keys": [{ "id", "key" }], "peppers": [{ "id", "key" }] }`, each key 32 bytes in
 * base64, newest first. Where it may be made (`create`), a missing one is made with mode 0600.
 */
export function openSecretsFile(path: string, create: boolean): Secrets {
  if (!existsSync(path)) {
    if (!create)
      throw new Error(`the secrets file ${path} does not exist: restore it, or make one with \`stint keys create\``)
    writeSecretsFile(path)
  }
  const stored = readStored(path)
  return { sealing_keys: keysOf(path, stored.sealing_keys), peppers: keysOf(path, stored.peppers) }
}

/** Makes a secrets file with one key of each kind; never over an existing one. */
export function writeSecretsFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, { sealing_keys: [newKey()], peppers: [newKey()] })
}

/** Puts a new sealing key and a new pepper first; the older ones stay, since stored values and tokens need them. */
export function addKeys(path: string): void {
  const { sealing_keys = [], peppers = [] } = readStored(path)
  replaceFile(realpathSync(path), { sealing_keys: [newKey(), ...sealing_keys], peppers: [newKey(), ...peppers] })
}

function newKey(): StoredKey {
  return { id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }
}

function readStored(path: string): Partial<StoredSecrets> {
  // The cast is checked by keysOf, without which no key is used.
  return JSON.parse(readFileSync(path, 'utf8')) as Partial<StoredSecrets>
}

/** Whole or not at all, and on disk before anything is sealed with it: a key lost in a crash could not be made again. */
function replaceFile(path: string, stored: StoredSecrets): void {
  const temporary = `${path}.${process.pid}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function keysOf(path: string, stored: StoredKey[] | undefined): SecretKey[] {
  const keys = (stored ?? []).map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }))
  if (keys.length === 0 || keys.some(({ id, key }) => !id || key.length !== 32)) {
    throw new Error(`the secrets file ${path} needs sealing_keys and peppers of an id and 32 bytes in base64`)
  }
  return keys
}
