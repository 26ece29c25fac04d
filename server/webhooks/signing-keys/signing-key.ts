import { randomBytes } from 'node:crypto'
import { Nullable, Observed, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'
import { makeSigningKey } from '../signature.ts'

export const KeyLabel = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  maxLength: 64,
  description: 'Label of a signing key, unique in the organization.',
})

export const SigningKey = Type.Object({
  label: Type.String({ description: 'What `x-service-hmac-label` names.' }),
  state: Type.Enum(['next', 'primary', 'previous', 'retired']),
  created_at: Timestamp,
  activates_at: Timestamp,
  retires_at: Nullable(Timestamp),
  last_used_at: Observed(Nullable(Timestamp)),
})
export type SigningKeyRow = Static<typeof SigningKey>

const label_characters = 'abcdefghijklmnopqrstuvwxyz234567'

/** `key_` and 10 random characters of base32 (RFC 4648 section 6) in lower case. */
export function makeLabel(): string {
  const characters = [...randomBytes(10)].map((byte) => label_characters[byte % label_characters.length])
  return `key_${characters.join('')}`
}

/** A new signing key and what is stored of it. */
export function makeSealedKey(secrets: Secrets, subscription_id: string, label: string) {
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
