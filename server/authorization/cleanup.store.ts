import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

interface Removal {
  name: string
  table: string
  /** Primary key of the table. */
  key: string
  where: Sql
  /** Expression by which the oldest go first. */
  order: string
  /** Changes the rows instead of deleting them. */
  set?: Sql
}

/**
 * Rows that ended long enough ago, in the order in which one depends on the other. Used codes and refresh tokens stay for a
 * day beyond their end, so that a replay is recognised.
 */
export const removals: readonly Removal[] = [
  removal('oauth_requests', 'digest', sql`expires_at < app_now() - interval '1 hour'`),
  removal('oauth_codes', 'organization_id, digest', sql`expires_at < app_now() - interval '24 hours'`),
  removal('oauth_refresh_tokens', 'organization_id, digest', sql`expires_at < app_now() - interval '24 hours'`),
  {
    ...removal(
      'access_tokens',
      'organization_id, id',
      sql`kind = 'oauth' and expires_at < app_now() - interval '24 hours'`,
    ),
    name: 'oauth_access_tokens',
  },
  {
    name: 'digests_of_ended_tokens',
    table: 'access_tokens',
    key: 'organization_id, id',
    where: sql`kind <> 'oauth' and digest is not null and coalesce(revoked_at, expires_at) < app_now() - interval '90 days'`,
    order: 'coalesce(revoked_at, expires_at)',
    set: sql`digest = null`,
  },
  removal(
    'oauth_grants',
    'organization_id, id',
    sql`coalesce(revoked_at, ends_at) < app_now() - interval '60 days'`,
    'coalesce(revoked_at, ends_at)',
  ),
  removal('oauth_assertions', 'client_id, jti_digest', sql`expires_at < app_now()`),
  removal('oauth_client_secrets', 'digest', sql`retires_at < app_now()`, 'retires_at'),
  // Clients nobody made for an organization: unused for 30 days, with nothing live and nothing pending.
  removal(
    'oauth_clients',
    'client_id',
    sql`kind in ('dynamic', 'document') and coalesce(last_used_at, created_at) < app_now() - interval '30 days'
      and not exists (select from oauth_requests r where r.client_id = oauth_clients.client_id)
      and not exists (
        select from oauth_grants g where g.client_id = oauth_clients.client_id and g.revoked_at is null
          and (g.ends_at is null or g.ends_at > app_now()))`,
    'coalesce(last_used_at, created_at)',
  ),
]

function removal(table: string, key: string, where: Sql, order = 'expires_at'): Removal {
  return { name: table, table, key, where, order }
}

/** Removes a batch; rows that somebody holds locked wait for the next run. */
export function removeBatch(
  tx: Transaction,
  { table, key, where, order, set }: Removal,
  rows_max: number,
): Promise<number> {
  const oldest = sql`
    where (${raw(key)}) in (
      select ${raw(key)} from ${raw(table)} where ${where} order by ${raw(order)} limit ${rows_max}
      for update skip locked)`
  return tx.run(set ? sql`update ${raw(table)} set ${set} ${oldest}` : sql`delete from ${raw(table)} ${oldest}`)
}

/**
 * Not used: no refresh token of it lives any more, since each lives 30 days from the last refresh, or its code was never
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
