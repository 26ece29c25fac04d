import type { Secrets } from '#core/secrets/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { atRest } from '#identity/token-digest.ts'
import { newToken } from '#identity/token-format.ts'
import { insertSecret } from './secret.store.ts'

/** Makes a secret and writes its digest; the value exists only in what this answers. */
export async function newClientSecret(
  tx: Transaction,
  secrets: Secrets,
  { client_id, is_sandbox }: { client_id: string; is_sandbox: boolean },
): Promise<string> {
  const value = newToken('client_secret', is_sandbox)
  await insertSecret(tx, client_id, atRest(secrets, value))
  return value
}
