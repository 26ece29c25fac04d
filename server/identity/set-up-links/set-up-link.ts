import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from '#db/database.ts'
import { findLink, replaceLinks, type SetUpLinkRow, spendLink } from './set-up-link.store.ts'

const secret_bytes = 32
const secret_form = /^[0-9A-Za-z_-]{43}$/

/** The link of the first owner lies in a file that the operator opens at once; the other is handed to somebody else. */
const first_owner_life_s = 30 * 60
const user_life_s = 24 * 3_600

/**
 * Makes a one-time link: for the first owner (without a user), or for a user to choose a password. The secret is in what
 * this answers only, and travels behind the `#` of an address, which no browser sends to any server.
 */
export async function createSetUpLink(tx: Transaction, user_id: string | null): Promise<string> {
  const secret = randomBytes(secret_bytes).toString('base64url')
  const life_s = user_id === null ? first_owner_life_s : user_life_s
  await replaceLinks(tx, { digest: digestOf(secret), user_id, life_s })
  return secret
}

export type SetUpLink = SetUpLinkRow & { digest: Buffer }

/** The link that a secret belongs to, whatever its state, or null; a malformed one is never asked for. */
export async function findSetUpLink(tx: Transaction, secret: string): Promise<SetUpLink | null> {
  if (!secret_form.test(secret)) return null
  const digest = digestOf(secret)
  const row = await findLink(tx, digest)
  return row ? { ...row, digest } : null
}

export function spendSetUpLink(tx: Transaction, { digest }: SetUpLink): Promise<boolean> {
  return spendLink(tx, digest)
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
