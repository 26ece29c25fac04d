import type { Actor } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import { notFound } from '#core/problems.ts'
import { insertInto, join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { clientColumns } from './client.store.ts'
import type { ClientRow, Verdict } from './client.ts'

const utc = (column: string) => raw(`to_char(s.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

const secrets = sql`coalesce((
    select jsonb_agg(jsonb_build_object('prefix', s.prefix, 'last4', s.last4, 'created_at', ${utc('created_at')},
                                        'retires_at', ${utc('retires_at')}) order by s.created_at desc)
    from oauth_client_secrets s
    where s.client_id = c.client_id and c.owner_organization_id is not null
      and (s.retires_at is null or s.retires_at > app_now())), '[]')`

const was_met = sql`(v.client_id is not null or met.client_id is not null)`
/** The condition for callers who know the id of a client of others, and decide about it for the first time. */
export const met_or_not = sql`true`

/**
 * Clients as one organization sees them: its own, and of those of others the ones it met, by a permission or a verdict.
 * The row of such a client serves every organization. So that it tells nothing of the others, its last use is what this
 * organization's permissions know of it, and who never met the client is answered as if there were none.
 */
function seenBy(organization_id: string, of_others: Sql): Sql {
  return sql`(
    select ${clientColumns}, coalesce(v.verdict, 'none') as verdict, ${secrets} as secrets,
           case when c.owner_organization_id is null then met.last_used_at else c.last_used_at end as last_used_at
    from oauth_clients c
    left join oauth_client_verdicts v on v.organization_id = ${organization_id} and v.client_id = c.client_id
    left join (
      select client_id, max(last_used_at) as last_used_at from oauth_grants
      where organization_id = ${organization_id} group by client_id) met on met.client_id = c.client_id
    where c.owner_organization_id = ${organization_id} or (c.owner_organization_id is null and ${of_others})) clients`
}

export function clientList(
  organization_id: string,
  { kinds, verdicts }: { kinds?: string[] | undefined; verdicts?: string[] | undefined },
): ListQuery {
  const where: Sql[] = []
  if (kinds) where.push(sql`kind = any (${kinds})`)
  if (verdicts) where.push(sql`verdict = any (${verdicts})`)
  return { columns: sql`clients.*`, from: seenBy(organization_id, was_met), where, order: ['created_at', 'client_id'] }
}

/** A client as an organization sees it, those of others where it met them unless told; throws `not_found`. */
export async function getClient(
  tx: Transaction,
  organization_id: string,
  client_id: string,
  of_others: Sql = was_met,
): Promise<ClientRow> {
  const row = await tx.row<ClientRow>(sql`
    select * from ${seenBy(organization_id, of_others)} where client_id = ${client_id}`)
  if (!row) throw notFound()
  return row
}

/** Keeps a client as it is until this transaction is over. */
export async function lockClient(tx: Transaction, client_id: string): Promise<boolean> {
  const row = await tx.row<{ is_locked: boolean }>(sql`select lock_oauth_client(${client_id}) as is_locked`)
  return row?.is_locked ?? false
}

/** Any client as it stands, kept so until this transaction is over: what was read before may have changed meanwhile. */
export async function lockedClient(tx: Transaction, organization_id: string, client_id: string) {
  await lockClient(tx, client_id)
  return tx.row<ClientRow>(sql`select * from ${seenBy(organization_id, met_or_not)} where client_id = ${client_id}`)
}

/** Writes columns of a managed client. */
export async function changeManagedClient(
  tx: Transaction,
  { client_id, organization_id }: ClientRow,
  changes: Partial<ClientRow>,
): Promise<void> {
  const values = Object.entries(changes).map(([column, value]) => sql`${raw(column)} = ${value}`)
  await tx.run(sql`
    update oauth_clients set ${join([...values, sql`updated_at = app_now()`], ', ')}
    where client_id = ${client_id} and owner_organization_id = ${organization_id}`)
}

/** Live permissions of a managed client that go beyond what it can be given now; `x:write` covers `x:read`. */
export async function grantsBeyond(tx: Transaction, client: ClientRow): Promise<string[]> {
  const { organization_id, client_id, sensitive_data, resources } = client
  const scopes = (client.scopes ?? []).flatMap((scope) => [scope, scope.replace(/:write$/, ':read')])
  const rows = await tx.rows<{ id: string }>(sql`
    select id from oauth_grants
    where organization_id = ${organization_id} and client_id = ${client_id} and revoked_at is null
      and not (scopes <@ ${scopes}::text[] and resource = any (${resources}::text[])
        and (user_id is not null or person_id is not null or sensitive_data <@ ${sensitive_data}::text[]))
    order by id`)
  return rows.map(({ id }) => id)
}

/** Its secrets go with it; its grants have ended and stay as history. */
export async function deleteManagedClient(tx: Transaction, organization_id: string, client_id: string): Promise<void> {
  await tx.run(sql`
    delete from oauth_clients where client_id = ${client_id} and owner_organization_id = ${organization_id}`)
}

export async function writeVerdict(
  tx: Transaction,
  { organization_id, client_id }: { organization_id: string; client_id: string },
  verdict: Verdict,
  by: Actor,
): Promise<void> {
  if (verdict === 'none') {
    await tx.run(sql`
      delete from oauth_client_verdicts where organization_id = ${organization_id} and client_id = ${client_id}`)
    return
  }
  const decision = { organization_id, client_id, verdict, decided_by: by, decided_at: sql`app_now()` }
  await tx.run(sql`
    ${insertInto('oauth_client_verdicts', decision)}
    on conflict (organization_id, client_id) do update
    set verdict = excluded.verdict, decided_by = excluded.decided_by, decided_at = excluded.decided_at`)
}
