import { system_actor } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { endGrant } from './grants.ts'

interface Removal {
  table: string
  /** Name for the log, if not that of the table. */
  name?: string
  /** Primary key of the table. */
  key: string
  /** Expression for the end of a row, if not `expires_at`: the oldest go first. */
  end?: string
  kept: `${number} ${'hours' | 'days'}`
  /** The rows that it counts for. */
  of?: Sql
  /** Changes the rows instead of deleting them. */
  set?: Sql
}

/** Clients that nobody made for an organization, with nothing live and nothing pending. */
const idle = sql`kind in ('dynamic', 'document')
  and not exists (select from oauth_requests r where r.client_id = oauth_clients.client_id)
  and not exists (
    select from oauth_grants g where g.client_id = oauth_clients.client_id and g.revoked_at is null
      and (g.ends_at is null or g.ends_at > app_now()))`

const tokens = { table: 'access_tokens', key: 'organization_id, id' }
const [last_use, end_of_token] = ['coalesce(last_used_at, created_at)', 'coalesce(revoked_at, expires_at)']
const others = sql`kind <> 'oauth' and digest is not null`

/**
 * Rows that ended long enough ago, in the order in which one depends on the other. Used codes and refresh tokens stay for a
 * day beyond their end, so that a replay is recognised.
 */
const removals: readonly Removal[] = [
  { table: 'oauth_requests', key: 'digest', kept: '1 hours' },
  { table: 'oauth_codes', key: 'organization_id, digest', kept: '24 hours' },
  { table: 'oauth_refresh_tokens', key: 'organization_id, digest', kept: '24 hours' },
  { ...tokens, name: 'oauth_access_tokens', kept: '24 hours', of: sql`kind = 'oauth'` },
  {
    ...tokens,
    name: 'digests_of_ended_tokens',
    end: end_of_token,
    kept: '90 days',
    of: others,
    set: sql`digest = null`,
  },
  { table: 'oauth_grants', key: 'organization_id, id', end: 'coalesce(revoked_at, ends_at)', kept: '60 days' },
  { table: 'oauth_assertions', key: 'client_id, jti_digest', kept: '0 hours' },
  { table: 'oauth_client_secrets', key: 'digest', end: 'retires_at', kept: '0 hours' },
  { table: 'oauth_clients', key: 'client_id', end: last_use, kept: '30 days', of: idle },
]

/** Rows of the authorization server that are cleaned up; grants that nobody uses end first, as any grant ends. */
export function authorizationExpired(runtime: Runtime): ExpiredRows[] {
  return [
    { name: 'unused_oauth_grants', removeBatch: (rows_max) => endUnusedGrants(runtime, rows_max) },
    ...removals.map((removal) => ({
      name: removal.name ?? removal.table,
      removeBatch: (rows_max: number) =>
        runtime.database.transaction({ role: 'engine' }, (tx) => tx.run(batchOf(removal, rows_max))),
    })),
  ]
}

/** Rows that somebody holds locked wait for the next run. */
function batchOf({ table, key, end = 'expires_at', kept, of = sql`true`, set }: Removal, rows_max: number): Sql {
  const oldest = sql`
    where (${raw(key)}) in (
      select ${raw(key)} from ${raw(table)} where ${raw(end)} < app_now() - interval '${raw(kept)}' and ${of}
      order by ${raw(end)} limit ${rows_max} for update skip locked)`
  return set ? sql`update ${raw(table)} set ${set} ${oldest}` : sql`delete from ${raw(table)} ${oldest}`
}

/**
 * Not used: no refresh token of it lives any more, since each lives 30 days from the last refresh, or its code was never
 * redeemed. A client that acts for its organization needs no refresh token.
 */
const isUnused = sql`revoked_at is null and (user_id is not null or person_id is not null)
  and case when last_used_at is null then created_at < app_now() - interval '1 day'
           else last_used_at < app_now() - interval '30 days' end`

async function endUnusedGrants(runtime: Runtime, rows_max: number): Promise<number> {
  const { database } = runtime
  const found = await database.transaction({ role: 'engine' }, (tx) =>
    tx.rows<{ organization_id: string; grant_id: string }>(sql`
      select organization_id, id as grant_id from oauth_grants
      where ${isUnused} order by created_at limit ${rows_max}`),
  )
  for (const { organization_id, grant_id } of found) {
    await database.transaction({ role: 'app', organization_id }, async (tx) => {
      const still = await tx.row(sql`
        select id from oauth_grants where organization_id = ${organization_id} and id = ${grant_id} and ${isUnused}
        for no key update`)
      if (!still) return
      await endGrant(runtime, tx, { organization_id, grant_id }, { by: system_actor, reason: 'unused' })
    })
  }
  return found.length
}
