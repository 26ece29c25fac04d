import type { Actor, Tenant } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'
import type { teamRoles } from '#resources/members/index.ts'

type TeamRole = (typeof teamRoles)[number]

export interface CredentialRow {
  kind: 'api_token' | 'oauth_client'
  id: string
  name: string
  scopes: string[]
  created_at: string
  created_by: Actor
  maker_left: boolean
  expires_at: string | null
  last_used_at: string | null
}

const credentials_max = 100

/** Credentials that open provisioning, the newest first; one that has ended by itself is shown for a month, since it explains the silence. */
export function credentialsOf(tx: Transaction, { organization_id }: Tenant): Promise<CredentialRow[]> {
  return tx.rows<CredentialRow>(sql`
    select c.*, case when c.created_by ->> 'kind' = 'user' then not exists (
             select from own_members m
             where m.organization_id = ${organization_id} and m.user_id = (c.created_by ->> 'id')::uuid)
           else false end as maker_left
    from (
      select 'api_token' as kind, id::text as id, name, scopes, created_at, created_by, expires_at, last_used_at
      from access_tokens
      where organization_id = ${organization_id} and kind = 'organization' and revoked_at is null and successor_id is null
        and scopes && '{scim:read,scim:write}' and (expires_at is null or expires_at > app_now() - interval '30 days')
      union all
      select 'oauth_client', client_id, name, scopes, created_at, created_by, expires_at, last_used_at
      from oauth_clients
      where owner_organization_id = ${organization_id} and 'client_credentials' = any (grant_types)
        and scopes && '{scim:read,scim:write}' and (expires_at is null or expires_at > app_now() - interval '30 days')) c
    order by c.created_at desc, c.id limit ${credentials_max}`)
}

/** The ends of provisioning requests, as far back as requests are counted. */
export async function requestTimes(tx: Transaction, { organization_id }: Tenant, since: string) {
  const row = await tx.row<{
    last_success_at: string | null
    last_failure_at: string | null
    succeeded: number
    failed: number
  }>(sql`
    select max(latest_at) filter (where status < 400) as last_success_at,
           max(latest_at) filter (where status >= 400) as last_failure_at,
           coalesce(sum(requests) filter (where status < 400 and hour >= ${since}), 0)::int as succeeded,
           coalesce(sum(requests) filter (where status >= 400 and hour >= ${since}), 0)::int as failed
    from request_counts where organization_id = ${organization_id} and operation like 'scim.%'`)
  return row ?? { last_success_at: null, last_failure_at: null, succeeded: 0, failed: 0 }
}

/** People whom provisioning keeps, and those whom it removed and Stint kept. */
export async function peopleFigures(tx: Transaction, { organization_id }: Tenant) {
  const row = await tx.row<{ linked: number; removed: number }>(sql`
    select count(*) filter (where scim_removed_at is null)::int as linked,
           count(*) filter (where scim_removed_at is not null)::int as removed
    from people where organization_id = ${organization_id} and scim_linked_at is not null and deleted_at is null`)
  return row ?? { linked: 0, removed: 0 }
}

export interface TeamRoleRow {
  team_id: string
  name: string
  role: TeamRole
  member_count: number
  account_count: number
}

/** Teams that give a role, with their members and those of them who have an account to have it by. */
export function teamRolesOf(tx: Transaction, { organization_id }: Tenant): Promise<TeamRoleRow[]> {
  return tx.rows<TeamRoleRow>(sql`
    select t.id as team_id, t.name, t.mapped_role::text as role, count(p.id)::int as member_count,
           count(p.id) filter (where p.user_id is not null and p.access = 'enabled')::int as account_count
    from teams t
    left join team_members x on x.organization_id = t.organization_id and x.team_id = t.id
    left join people p on p.organization_id = x.organization_id and p.id = x.person_id and p.deleted_at is null
    where t.organization_id = ${organization_id} and t.mapped_role is not null and t.deleted_at is null
    group by t.id, t.name, t.mapped_role order by t.name, t.id`)
}

/** The teams of these ids with the roles that they give, locked in the order of their ids; a removed team is none. */
export function lockTeams(tx: Transaction, { organization_id }: Tenant, team_ids: readonly string[]) {
  return tx.rows<{ id: string; role: TeamRole | null }>(sql`
    select id, mapped_role::text as role from teams
    where organization_id = ${organization_id} and id = any (${team_ids}) and deleted_at is null
    order by id for no key update`)
}

export async function setTeamRole(
  tx: Transaction,
  { organization_id }: Tenant,
  { team_id, role }: { team_id: string; role: TeamRole | null },
): Promise<void> {
  await tx.run(sql`
    update teams set mapped_role = ${role}::text::team_role
    where organization_id = ${organization_id} and id = ${team_id}`)
}
