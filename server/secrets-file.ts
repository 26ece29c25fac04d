import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SecretKey, Secrets } from '#core/secrets.ts'

interface StoredKey {
  id: string
  key: string
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
  const stored = JSON.parse(readFileSync(path, 'utf8')) as { sealing_keys?: StoredKey[]; peppers?: StoredKey[] }
  return { sealing_keys: keysOf(path, stored.sealing_keys), peppers: keysOf(path, stored.peppers) }
}

/** Makes a secrets file with one key of each kind; never over an existing one. */
export function writeSecretsFile(path: string): void {
  const key = () => ({ id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') })
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify({ sealing_keys: [key()], peppers: [key()] }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
}

function keysOf(path: string, stored: StoredKey[] | undefined): SecretKey[] {
  const keys = (stored ?? []).map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }))
  if (keys.length === 0 || keys.some(({ id, key }) => !id || key.length !== 32)) {
    throw new Error(`the secrets file ${path} needs sealing_keys and peppers of an id and 32 bytes in base64`)
  }
  return keys
}
