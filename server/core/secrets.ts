import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sql } from '#db/database.ts'

/** One 256-bit key of the secrets file. The first of a list is used for new values, all of them for old ones. */
export interface SecretKey {
  id: string
  key: Buffer
}

export interface Secrets {
  sealing_keys: readonly SecretKey[]
}

const nonce_bytes = 12
const tag_bytes = 16

/** AES-256-GCM: ciphertext, tag. */
function encrypt(key: Buffer, nonce: Buffer, plaintext: Buffer, context: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, nonce: Buffer, encrypted: Buffer, context: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tag_bytes })
  decipher.setAAD(context).setAuthTag(encrypted.subarray(-tag_bytes))
  return Buffer.concat([decipher.update(encrypted.subarray(0, -tag_bytes)), decipher.final()])
}

/**
 * Seals with AES-256-GCM: length of the key id, key id, nonce, ciphertext, tag. `context` is authenticated but not
 * stored, so a sealed value cannot be moved to another row.
 */
export function seal(secrets: Secrets, plaintext: Buffer, context: string): Buffer {
  const { id, key } = newest(secrets.sealing_keys)
  const nonce = randomBytes(nonce_bytes)
  const encrypted = encrypt(key, nonce, plaintext, Buffer.from(context))
  return Buffer.concat([Buffer.from([id.length]), Buffer.from(id), nonce, encrypted])
}

/** Opens what `seal` made with the same context; throws when the key is missing or the value was altered. */
export function unseal(secrets: Secrets, sealed: Buffer, context: string): Buffer {
  const id_end = 1 + (sealed[0] ?? 0)
  const nonce_end = id_end + nonce_bytes
  const id = sealed.subarray(1, id_end).toString()
  const found = secrets.sealing_keys.find((key) => key.id === id)
  if (!found) throw new Error(`the sealing key ${id} is not in the secrets file`)
  return decrypt(found.key, sealed.subarray(id_end, nonce_end), sealed.subarray(nonce_end), Buffer.from(context))
}

/** HMAC-SHA-256 under a key derived for one purpose (RFC 5869), one per sealing key, newest first. */
export function derivedMacs(secrets: Secrets, purpose: string): ((text: string | Buffer) => Buffer)[] {
  return secrets.sealing_keys.map(({ key }) => {
    const derived = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
    return (text) => createHmac('sha256', derived).update(text).digest()
  })
}

const salt_bytes = 16

/**
 * AES-256-GCM for texts that travel to callers and back, without a bound on their number: each has a key of its own,
 * derived from a random salt at its front, so that the nonce may be fixed. Two envelopes of one text differ.
 */
export function derivedEnvelopes(secrets: Secrets, purpose: string) {
  const macs = derivedMacs(secrets, purpose)
  const nonce = Buffer.alloc(nonce_bytes)
  return {
    wrap(plaintext: Buffer, context: Buffer): Buffer {
      const salt = randomBytes(salt_bytes)
      return Buffer.concat([salt, encrypt(newest(macs)(salt), nonce, plaintext, context)])
    },
    /** Undefined for what was altered, wrapped with another context, or is none of ours. */
    unwrap(wrapped: Buffer, context: Buffer): Buffer | undefined {
      if (wrapped.length < salt_bytes + tag_bytes) return undefined
      const [salt, encrypted] = [wrapped.subarray(0, salt_bytes), wrapped.subarray(salt_bytes)]
      for (const mac of macs) {
        try {
          return decrypt(mac(salt), nonce, encrypted, context)
        } catch {
          // Not wrapped with this key.
        }
      }
      return undefined
    },
  }
}

export function equalBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The first of the keys, or of what is derived from them: new values are made with it. */
export function newest<Key>([key]: readonly Key[]): Key {
  if (key === undefined) throw new Error('the secrets file holds no key')
  return key
}

/** A column of sealed values, as the change of sealing keys goes through it. Names are this program's own. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns that name a row within its organization; `contextOf` is given these and `organization_id`. */
  key: readonly string[]
  /** The rows are of accounts and of no organization; `key` names them alone. */
  of_accounts?: boolean
  /** The condition for rows that hold a sealed value, when others hold a plain one. */
  where?: Sql
  /** The context that the value of a row is sealed to. */
  contextOf(row: Record<string, unknown>): string
}
