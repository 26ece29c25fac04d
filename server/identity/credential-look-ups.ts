import { createHash } from 'node:crypto'
import { unavailable } from '#core/problems.ts'
import { createSemaphore } from '#core/semaphore.ts'

/** Look-ups of credentials that this process has not met, at once: what a flood of invented ones gets of the database. */
const running_max = 2
/** As many as a process has connections. */
const waiting_max = 10_000
/** Credentials remembered as good; beyond that the one asked for longest ago is forgotten. */
const remembered_max = 10_000

export interface CredentialLookUps {
  /** Asks for a credential; it is good when there is a row. */
  find<Row>(credential: string, ask: () => Promise<Row | undefined>): Promise<Row | undefined>
}

/**
 * Decides when a credential is looked up, never whether: one that was good lately at once, any other two at a time, in
 * order. So nobody's good credential is refused because of others, from whatever network, and invented ones with a
 * right checksum take no more than two connections. The database is asked at every request: nothing is kept but digests.
 */
export function createCredentialLookUps(): CredentialLookUps {
  const good = new Set<string>()
  const others = createSemaphore({
    running_max,
    waiting_max,
    refusal: () => unavailable('Too many unknown credentials are being looked up at this moment.'),
  })
  return {
    async find(credential, ask) {
      const digest = createHash('sha256').update(credential).digest('base64')
      const row = await (good.has(digest) ? ask() : others.run(ask))
      good.delete(digest)
      if (row) good.add(digest)
      const [oldest] = good
      if (good.size > remembered_max && oldest !== undefined) good.delete(oldest)
      return row
    },
  }
}
