import type { Transaction } from '#db/database.ts'
import { type Sql, sql } from '#db/sql.ts'

/**
 * What ended long enough ago, with the statement that removes a batch of it, in the order in which one depends on the
 * other. Rows that somebody holds locked wait for the next run. Used codes and refresh tokens stay for a day beyond their
 * end, so that a replay is recognised.
 */
export const removals: { name: string; statement(rows_max: number): Sql }[] = [
  {
    name: 'oauth_requests',
    statement: (rows_max) => sql`
      delete from oauth_requests where digest in (
        select digest from oauth_requests where expires_at < app_now() - interval '1 hour'
        order by expires_at limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_codes',
    statement: (rows_max) => sql`
      delete from oauth_codes where (organization_id, digest) in (
        select organization_id, digest from oauth_codes where expires_at < app_now() - interval '24 hours'
        order by expires_at limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_refresh_tokens',
    statement: (rows_max) => sql`
      delete from oauth_refresh_tokens where (organization_id, digest) in (
        select organization_id, digest from oauth_refresh_tokens where expires_at < app_now() - interval '24 hours'
        order by expires_at limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_access_tokens',
    statement: (rows_max) => sql`
      delete from access_tokens where (organization_id, id) in (
        select organization_id, id from access_tokens
        where kind = 'oauth' and expires_at < app_now() - interval '24 hours'
        order by expires_at limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'digests_of_ended_tokens',
    statement: (rows_max) => sql`
      update access_tokens set digest = null where (organization_id, id) in (
        select organization_id, id from access_tokens
        where kind <> 'oauth' and digest is not null and coalesce(revoked_at, expires_at) < app_now() - interval '90 days'
        order by coalesce(revoked_at, expires_at) limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_grants',
    statement: (rows_max) => sql`
      delete from oauth_grants where (organization_id, id) in (
        select organization_id, id from oauth_grants
        where coalesce(revoked_at, ends_at) < app_now() - interval '60 days'
        order by coalesce(revoked_at, ends_at) limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_assertions',
    statement: (rows_max) => sql`
      delete from oauth_assertions where (client_id, jti_digest) in (
        select client_id, jti_digest from oauth_assertions where expires_at < app_now()
        order by expires_at limit ${rows_max} for update skip locked)`,
  },
  {
    name: 'oauth_client_secrets',
    statement: (rows_max) => sql`
      delete from oauth_client_secrets where digest in (
        select digest from oauth_client_secrets where retires_at < app_now()
        order by retires_at limit ${rows_max} for update skip locked)`,
  },
  {
    // Clients nobody made for an organization: unused for 30 days, with nothing live and nothing pending.
    name: 'oauth_clients',
    statement: (rows_max) => sql`
      delete from oauth_clients where client_id in (
        select client_id from oauth_clients c
        where kind in ('dynamic', 'document') and coalesce(last_used_at, created_at) < app_now() - interval '30 days'
          and not exists (select from oauth_requests r where r.client_id = c.client_id)
          and not exists (
            select from oauth_grants g where g.client_id = c.client_id and g.revoked_at is null
              and (g.ends_at is null or g.ends_at > app_now()))
        limit ${rows_max} for update skip locked)`,
  },
]

/**
 * Not used: no refresh token of it lives any more, since each lives 30 days from the last exchange, or its code was never
 * redeemed. A client that acts for its organization needs no refresh token.
 */
const isUnused = sql`revoked_at is null and (user_id is not null or person_id is not null)
  and case when last_used_at is null then created_at < app_now() - interval '1 day'
           else last_used_at < app_now() - interval '30 days' end`

export function unusedGrants(tx: Transaction, rows_max: number): Promise<{ organization_id: string; id: string }[]> {
  return tx.rows(
    sql`select organization_id, id from oauth_grants where ${isUnused} order by created_at limit ${rows_max}`,
  )
}

/** Whether a grant is unused still, and if so locked for its end. */
export async function lockUnusedGrant(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
  const row = await tx.row(sql`
    select id from oauth_grants where organization_id = ${organization_id} and id = ${id} and ${isUnused}
    for no key update`)
  return row !== undefined
}
