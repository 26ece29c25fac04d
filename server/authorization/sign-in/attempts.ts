import { createHash } from 'node:crypto'
import { rateLimited } from '#core/problems/problems.ts'
import type { Secrets } from '#core/secrets/secrets.ts'
import type { Database, Transaction } from '#db/database.ts'
import type { ConsoleRequest } from '../console-endpoint.ts'
import { type AttemptKeys, forgetOldFailures, giveBack, takeAttempt } from './attempt.store.ts'
import { provenDevice } from './device-cookie.ts'

/** An attempt that was counted; taken back when the password was right. */
export interface Attempt {
  /** The browser signed in to this account before. */
  isOfProvenDevice: boolean
  succeed(tx: Transaction): Promise<void>
}

/**
 * Counts an attempt to sign in, or throws `rate_limited` with the seconds to wait. Exact over all processes (decision
 * 0007), and the same whether somebody has this address or not. Record 0032 says what is counted where, and why.
 */
export async function countAttempt(
  { database, secrets }: { database: Database; secrets: Secrets },
  { headers, network }: Pick<ConsoleRequest, 'headers' | 'network'>,
  account: string,
): Promise<Attempt> {
  const { taken, isOfProvenDevice } = await database.transaction({ role: 'lookup' }, async (tx) => {
    await forgetOldFailures(tx)
    const device = provenDevice(headers.cookie, { secrets, email: account, now: tx.now })
    const keys: AttemptKeys = {
      network: device === null ? digestOf(`network ${network}`) : null,
      place: digestOf(device === null ? `account at ${network} ${account}` : `account by ${device} ${account}`),
      account: digestOf(`account anywhere ${account}`),
    }
    return { taken: await takeAttempt(tx, keys), isOfProvenDevice: device !== null }
  })
  if ('wait_s' in taken) {
    const { wait_s } = taken
    throw rateLimited('Too many attempts to sign in. Wait, then try again.', {
      headers: { 'Retry-After': String(wait_s) },
      members: { retry_after_s: wait_s },
    })
  }
  return { isOfProvenDevice, succeed: (tx) => giveBack(tx, taken) }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
