import type { Secrets } from '#core/secrets.ts'
import { type PreparedKey, prepareKey, type SigningKey } from '../signature.ts'
import { openSigningKey } from '../signing-keys/signing-key.ts'
import type { LaneRow } from './claim.store.ts'

const kept_max = 10_000

/** Opens the sealed keys of lanes; an opened key is kept (opening and preparing cost 12 µs, a signature 4). */
export function createKeyRing(secrets: Secrets) {
  const kept = new Map<string, { sealed: Buffer; key: PreparedKey }>()
  const open = (subscription_id: string, label: string, sealed: Buffer): PreparedKey => {
    const place = `${subscription_id}/${label}`
    const known = kept.get(place)
    if (known?.sealed.equals(sealed)) return known.key
    const key = prepareKey(openSigningKey(secrets, sealed, subscription_id, label))
    const [oldest] = kept.keys()
    if (kept.size >= kept_max && oldest !== undefined) kept.delete(oldest)
    kept.set(place, { sealed, key })
    return key
  }
  /** Primary first, as the row has them. */
  return ({ subscription_id, labels, sealed_keys }: LaneRow): SigningKey[] =>
    labels.map((label, index) => ({ label, key: open(subscription_id, label, sealed_keys[index] ?? Buffer.alloc(0)) }))
}

export type KeyRing = ReturnType<typeof createKeyRing>
