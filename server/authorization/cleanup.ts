import { system_actor } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import { lockUnusedGrant, removals, removeBatch, unusedGrants } from './cleanup.store.ts'
import { endGrant } from './grants.ts'

/** Rows of the authorization server that are cleaned up; grants that nobody uses end first, as any grant ends. */
export function authorizationExpired(runtime: Runtime): ExpiredRows[] {
  const { database } = runtime
  return [
    { name: 'unused_oauth_grants', removeBatch: (rows_max) => endUnusedGrants(runtime, rows_max) },
    ...removals.map((removal) => ({
      name: removal.name,
      removeBatch: (rows_max: number) =>
        database.transaction({ role: 'engine' }, (tx) => removeBatch(tx, removal, rows_max)),
    })),
  ]
}

async function endUnusedGrants(runtime: Runtime, rows_max: number): Promise<number> {
  const { database } = runtime
  const found = await database.transaction({ role: 'engine' }, (tx) => unusedGrants(tx, rows_max))
  for (const { organization_id, id: grant_id } of found) {
    await database.transaction({ role: 'app', organization_id }, async (tx) => {
      if (!(await lockUnusedGrant(tx, organization_id, grant_id))) return
      const by = system_actor
      await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'unused', request_id: null, address: null })
    })
  }
  return found.length
}
