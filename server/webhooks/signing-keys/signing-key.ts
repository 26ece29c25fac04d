import { randomBytes } from 'node:crypto'
import type { SealedColumn } from '#core/secrets/sealed-column.ts'
import { type Secrets, seal, unseal } from '#core/secrets/secrets.ts'
import { makeSigningKey } from '../signature.ts'

const label_characters = 'abcdefghijklmnopqrstuvwxyz234567'

/** `key_` and 10 random characters of base32 (RFC 4648 section 6) in lower case. */
export function makeLabel(): string {
  const characters = [...randomBytes(10)].map((byte) => label_characters[byte % label_characters.length])
  return `key_${characters.join('')}`
}

/** A new signing key and what is stored of it. */
export function newSigningKey(secrets: Secrets, subscription_id: string, label: string) {
  const signing_key = makeSigningKey()
  return { signing_key, sealed: seal(secrets, Buffer.from(signing_key), placeOf(subscription_id, label)) }
}

/** Throws when the sealing key is missing or the value stands in a row it was not made for. */
export function openSigningKey(secrets: Secrets, sealed: Buffer, subscription_id: string, label: string): string {
  return unseal(secrets, sealed, placeOf(subscription_id, label)).toString()
}

function placeOf(subscription_id: string, label: string): string {
  return `${subscription_id}/${label}`
}

export const sealedSigningKeys: SealedColumn = {
  table: 'webhook_signing_keys',
  column: 'sealed',
  key: ['label', 'subscription_id'],
  contextOf: ({ subscription_id, label }) => placeOf(String(subscription_id), String(label)),
}
