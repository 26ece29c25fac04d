import { randomBytes } from 'node:crypto'
import { Nullable, Observed, type Static, Timestamp, Type } from '#core/schema/schema.ts'

export const KeyLabel = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  maxLength: 64,
  description: 'Label of a signing key, unique in the organization: letters, digits, dot, underscore and hyphen.',
  example: 'payroll-2026-01',
})

export const SigningKey = Type.Object({
  label: Type.String({ description: 'What `x-service-hmac-label` names.', example: 'payroll-2026-01' }),
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
