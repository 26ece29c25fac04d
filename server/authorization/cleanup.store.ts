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
  where: Sql
  /** Expression by which the oldest go first; `expires_at` unless told. */
  order?: string
  /** Changes the rows instead of deleting them. */
  set?: Sql
}

/**
 * Rows that ended long enough ago, in the order in which one depends on the other. Used codes and refresh tokens stay for a
 * day beyond their end, so that a replay is recognised.
 */
const removals: readonly Removal[] = [
  { table: 'oauth_requests', key: 'digest', where: sql`expires_at < app_now() - interval '1 hour'` },
  {
    table: 'oauth_codes',
    key: 'organization_id, digest',
    where: sql`expires_at < app_now() - interval '24 hours'`,
  },
  {
    table: 'oauth_refresh_tokens',
    key: 'organization_id, digest',
    where: sql`expires_at < app_now() - interval '24 hours'`,
  },
  {
    table: 'access_tokens',
    name: 'oauth_access_tokens',
    key: 'organization_id, id',
    where: sql`kind = 'oauth' and expires_at < app_now() - interval '24 hours'`,
  },
  {
    table: 'access_tokens',
    name: 'digests_of_ended_tokens',
    key: 'organization_id, id',
    where: sql`kind <> 'oauth' and digest is not null and coalesce(revoked_at, expires_at) < app_now() - interval '90 days'`,
    order: 'coalesce(revoked_at, expires_at)',
    set: sql`digest = null`,
  },
  {
    table: 'oauth_grants',
    key: 'organization_id, id',
    where: sql`coalesce(revoked_at, ends_at) < app_now() - interval '60 days'`,
    order: 'coalesce(revoked_at, ends_at)',
  },
  { table: 'oauth_assertions', key: 'client_id, jti_digest', where: sql`expires_at < app_now()` },
  { table: 'oauth_client_secrets', key: 'digest', where: sql`retires_at < app_now()`, order: 'retires_at' },
  {
    // Clients nobody made for an organization: unused for 30 days, with nothing live and nothing pending.
    table: 'oauth_clients',
    key: 'client_id',
    where: sql`kind in ('dynamic', 'document') and coalesce(last_used_at, created_at) < app_now() - interval '30 days'
      and not exists (select from oauth_requests r where r.client_id = oauth_clients.client_id)
      and not exists (
        select from oauth_grants g where g.client_id = oauth_clients.client_id and g.revoked_at is null
          and (g.ends_at is null or g.ends_at > app_now()))`,
    order: 'coalesce(last_used_at, created_at)',
  },
]

/** Rows of the authorization server that are cleaned up; grants that nobody uses end first, as any grant ends. */
export function authorizationExpired(runtime: Runtime): ExpiredRows[] {
  return [
    { name: 'unused_oauth_grants', removeBatch: (rows_max) => endUnusedGrants(runtime, rows_max) },
    ...removals.map(({ table, name = table, ...removal }) => ({
      name,
      removeBatch: (rows_max: number) =>
        runtime.database.transaction({ role: 'engine' }, (tx) => tx.run(batchOf({ table, ...removal }, rows_max))),
    })),
  ]
}

/** Rows that somebody holds locked wait for the next run. */
function batchOf({ table, key, where, order = 'expires_at', set }: Removal, rows_max: number): Sql {
  const oldest = sql`
    where (${raw(key)}) in (
      select ${raw(key)} from ${raw(table)} where ${where} order by ${raw(order)} limit ${rows_max}
      for update skip locked)`
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
      const by = system_actor
      await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'unused', request_id: null, address: null })
    })
  }
  return found.length
}
