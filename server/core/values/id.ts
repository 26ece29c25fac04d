import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(16 * 256)
let used = pool.length

const counter_bits_max = 0xfff
let last_ms = -1
let counter = 0

/**
 * A new lower-case UUIDv7 (RFC 9562 §5.7) for the moment `at_ms`. Ids of one millisecond count upwards (§6.2, method 1),
 * so rows made one after the other by one process sort in that order; the other 62 bits are random.
 */
export function newId(at_ms: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  const random = bytes.readUInt16BE(6) & 0x7ff
  counter = at_ms === last_ms && counter < counter_bits_max ? counter + 1 : random
  last_ms = at_ms
  bytes.writeUIntBE(at_ms, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const idPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
