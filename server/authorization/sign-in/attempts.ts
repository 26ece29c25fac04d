import { createHash } from 'node:crypto'
import { rateLimited } from '#core/problems/problems.ts'
import type { Database, Transaction } from '#db/database.ts'
import { type AttemptKeys, forgetOldFailures, giveBack, takeAttempt, waitOf } from './attempt.store.ts'

/** An attempt that was counted; taken back when the password was right. */
export interface Attempt {
  succeed(tx: Transaction): Promise<void>
}

/**
 * Counts an attempt to sign in, or throws `rate_limited` with the seconds to wait. Exact over all processes (decision
 * 0007), and the same whether somebody has this address or not. The network is counted even while an account waits.
 */
export async function countAttempt(database: Database, email: string, network: string): Promise<Attempt> {
  const account = email.toLowerCase()
  const keys: AttemptKeys = {
    network: digestOf(`network ${network}`),
    account: digestOf(`account anywhere ${account}`),
    place: digestOf(`account at ${network} ${account}`),
  }
  const wait_s = await database.transaction({ role: 'lookup' }, async (tx) => {
    await forgetOldFailures(tx)
    return (await takeAttempt(tx, keys)) ? null : waitOf(tx, keys)
  })
  if (wait_s !== null) {
    throw rateLimited('Too many attempts to sign in. Wait, then try again.', {
      headers: { 'Retry-After': String(wait_s) },
      members: { retry_after_s: wait_s },
    })
  }
  return { succeed: (tx) => giveBack(tx, keys) }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
