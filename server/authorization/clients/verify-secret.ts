import type { Secrets } from '#core/secrets/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { atRest, digestsOf } from '#identity/token-digest.ts'
import { tokenKindOf } from '#identity/token-format.ts'
import { findSecret, renewSecret } from './secret.store.ts'

/** Whether this is a secret of the client: by its digest under any pepper, and written anew where that is an old one. */
export async function isClientSecret(
  tx: Transaction,
  secrets: Secrets,
  client_id: string,
  secret: string,
): Promise<boolean> {
  if (tokenKindOf(secret) !== 'client_secret') return false
  const digests = digestsOf(secrets, secret)
  const found = await findSecret(tx, client_id, digests)
  if (!found) return false
  if (!digests[0]?.equals(found.digest)) await renewSecret(tx, found.digest, atRest(secrets, secret))
  return true
}
