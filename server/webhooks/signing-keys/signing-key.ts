import { randomBytes } from 'node:crypto'
import { Nullable, Observed, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import type { SealedColumn } from '#core/secrets.ts'
import { type Secrets, seal, unseal } from '#core/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { makeSigningKey } from '../signature.ts'
import type { Tenant } from '../subscriptions/subscription.store.ts'
import { insertSigningKey } from './signing-key.store.ts'

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

export interface SuccessorWish {
  /** By default `key_` and 10 random characters of base32 (RFC 4648 section 6) in lower case. */
  label?: string | undefined
  /** Name of the input field that holds the label. */
  label_field: string
  activates_at: string | null
  overlap_hours: number
}

const label_characters = 'abcdefghijklmnopqrstuvwxyz234567'

/** Gives a subscription a new signing key, stores it sealed, and returns the only copy that can be shown. */
export async function addSigningKey(
  tx: Transaction,
  secrets: Secrets,
  tenant: Tenant,
  subscription_id: string,
  { label = makeLabel(), ...wish }: SuccessorWish,
): Promise<{ label: string; signing_key: string }> {
  const signing_key = makeSigningKey()
  const sealed = seal(secrets, Buffer.from(signing_key), placeOf(subscription_id, label))
  await insertSigningKey(tx, tenant, subscription_id, { ...wish, label, sealed })
  return { label, signing_key }
}

function makeLabel(): string {
  const characters = [...randomBytes(10)].map((byte) => label_characters[byte % label_characters.length])
  return `key_${characters.join('')}`
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
