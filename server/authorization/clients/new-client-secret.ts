import type { RevealedSecret } from '#core/operation.ts'
import type { Secrets } from '#core/secrets/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { atRest, digestsOf } from '#identity/token-digest.ts'
import { newToken } from '#identity/token-format.ts'
import { findSecret, insertSecret } from './secret.store.ts'

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

/** The answers that make a secret show it as long as it can still be used. */
export const revealedSecret: RevealedSecret = {
  field: 'client_secret',
  async stands(answer, { tx, secrets }) {
    // The cast holds for every answer that makes a secret.
    const { client_id, client_secret } = answer as { client_id: string; client_secret: string }
    return (await findSecret(tx, client_id, digestsOf(secrets, client_secret))) !== undefined
  },
}
