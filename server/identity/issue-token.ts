import type { Secrets } from '#core/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { insertToken, type NewToken, type TokenRow } from './token.store.ts'
import { atRest } from './token-digest.ts'
import { newToken } from './token-format.ts'

/** Makes a credential and writes its digest; the value exists only in what this answers. */
export async function issueToken(
  tx: Transaction,
  secrets: Secrets,
  token: NewToken & { is_sandbox: boolean },
): Promise<{ row: TokenRow; token: string }> {
  const value = newToken(token.kind, token.is_sandbox)
  return { row: await insertToken(tx, token, atRest(secrets, value)), token: value }
}
