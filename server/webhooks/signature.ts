import { createHmac, randomBytes } from 'node:crypto'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'

export interface SigningKey {
  label: string
  /** As it was shown: `whsec_` and base64. */
  key: string
}

const KEY_PREFIX = 'whsec_'
const KEY_BYTES = 32

/** A new signing key: `whsec_` and 32 random bytes in standard base64, 50 characters. */
export function makeSigningKey(random: (bytes: number) => Buffer = randomBytes): string {
  return KEY_PREFIX + random(KEY_BYTES).toString('base64')
}

/**
 * Signs the exact body bytes in both schemes; the message of the first is the method and the body (interface
 * specification 6.2). The first key is the primary one and alone makes the `x-service-*` pair; `webhook-signature` carries
 * one signature for each key, so that a receiver with either of two live keys can verify (Standard Webhooks 1.0). Throws
 * if there is no key, since nothing may leave unsigned.
 */
export function sign(
  body: Buffer,
  keys: readonly SigningKey[],
  /** Whole Unix seconds of the start of the attempt, engine time. */
  { event_id, timestamp_s }: { event_id: string; timestamp_s: number },
) {
  const [primary] = keys
  if (!primary) throw new Error('a delivery cannot be signed without a signing key')
  return {
    'x-service-signature': createHmac('sha256', primary.key).update('POST').update(body).digest('hex'),
    'x-service-hmac-label': primary.label,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp_s),
    'webhook-signature': standardSignatures(keys, `${event_id}.${timestamp_s}.`, body),
  }
}

/** Keyed with the decoded bytes of each key; a text that is no `whsec_` key has none. */
function standardSignatures(keys: readonly SigningKey[], prefix: string, body: Buffer): string {
  const signatures = keys.flatMap(({ key }) => {
    if (!key.startsWith(KEY_PREFIX)) return []
    const secret = Buffer.from(key.slice(KEY_PREFIX.length), 'base64')
    return [`v1,${createHmac('sha256', secret).update(prefix).update(body).digest('base64')}`]
  })
  return signatures.join(' ')
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
