import { createHmac } from 'node:crypto'
import type { Secrets } from '#core/secrets/secrets.ts'

/** A secret as it rests: HMAC-SHA-256 of the whole string under the newest pepper, with what a list may show of it. */
export interface TokenAtRest {
  digest: Buffer
  pepper: string
  prefix: string
  last4: string
}

export function atRest(secrets: Secrets, token: string): TokenAtRest {
  const [pepper] = secrets.peppers
  if (!pepper) throw new Error('the secrets file holds no pepper')
  return {
    digest: createHmac('sha256', pepper.key).update(token).digest(),
    pepper: pepper.id,
    prefix: token.slice(0, token.lastIndexOf('_')),
    last4: token.slice(-4),
  }
}

/** One digest per configured pepper, newest first, for one look-up in the unique index. */
export function digestsOf(secrets: Secrets, token: string): Buffer[] {
  return secrets.peppers.map(({ key }) => createHmac('sha256', key).update(token).digest())
}
