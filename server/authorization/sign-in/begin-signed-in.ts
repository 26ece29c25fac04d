import type { Secrets } from '#core/secrets/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { beginSession } from '#identity/sessions/index.ts'
import type { ConsoleRequest } from '../console-endpoint.ts'
import { deviceCookie } from './device-cookie.ts'

/** An account as failures and devices know it, however it was typed. */
export function accountOf(email: string): string {
  return email.toLowerCase()
}

/** Begins the session of a user who proved who it is; answers both `Set-Cookie`: the session's and the browser's. */
export async function beginSignedIn(
  tx: Transaction,
  secrets: Secrets,
  request: ConsoleRequest,
  { user_id, email }: { user_id: string; email: string },
): Promise<readonly string[]> {
  const session = await beginSession(tx, request, { user_id, address: request.address })
  return [session, deviceCookie({ secrets, email: accountOf(email), now: tx.now })]
}
