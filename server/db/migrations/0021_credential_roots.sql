-- What a credential made, directly or not, is counted with it: each names the first of its line. A token's successor and
-- the tokens it mints have its root; the tokens of a grant have the grant's, which for a client that acts for its
-- organization is the root of the credential that made the client.
alter table access_tokens add column root_id uuid;
alter table oauth_grants add column root_id uuid;

alter table access_tokens no force row level security;
alter table oauth_grants no force row level security;
alter table oauth_clients no force row level security;

update oauth_grants set root_id = id;
with recursive line (id, root_id) as (
  select t.id, coalesce(t.grant_id, t.parent_grant_id, t.id) from access_tokens t where t.parent_token_id is null
  union all
  select t.id, line.root_id from access_tokens t join line on line.id = t.parent_token_id
)
update access_tokens t set root_id = line.root_id from line where line.id = t.id;
update access_tokens set root_id = id where root_id is null;
update oauth_grants g set root_id = t.root_id
from oauth_clients c join access_tokens t on t.id = c.parent_token_id
where c.client_id = g.client_id and g.user_id is null and g.person_id is null;
update access_tokens t set root_id = g.root_id from oauth_grants g where g.id = t.grant_id and g.root_id <> g.id;

alter table access_tokens force row level security;
alter table oauth_grants force row level security;
alter table oauth_clients force row level security;
alter table access_tokens alter column root_id set not null;
alter table oauth_grants alter column root_id set not null;

grant create on schema public to stint_lookup;
-- As before, with the root.
drop function resolve_access_token(bytea[], text);
create function resolve_access_token(digests bytea[], wanted_resource text default 'rest')
returns table (
  id uuid, organization_id uuid, kind text, name text, scopes text[], sensitive_data text[], user_id uuid,
  person_id uuid, client_id text, grant_id uuid, root_id uuid, expires_at timestamptz, is_sandbox boolean, role text,
  used_recently boolean, digest bytea
)
language plpgsql stable security definer rows 1
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set join_collapse_limit = 1 set enable_seqscan = off
as $$
begin
  return query
  select t.id, t.organization_id, t.kind, coalesce(u.name, t.name), t.scopes, t.sensitive_data, t.user_id, t.person_id,
         t.client_id, t.grant_id, t.root_id, case when t.kind = 'oauth' then g.ends_at else t.expires_at end::timestamptz,
         o.is_sandbox, m.role, coalesce(t.last_used_at > app_now() - interval '1 minute', false), t.digest
  from access_tokens t
  join organizations o on o.id = t.organization_id
  left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
  left join users u on u.id = t.user_id
  left join people p on p.organization_id = t.organization_id and p.id = t.person_id
  left join oauth_grants g on g.organization_id = t.organization_id and g.id = t.grant_id
  left join oauth_clients c on c.client_id = t.client_id
  left join oauth_client_verdicts v on v.organization_id = t.organization_id and v.client_id = t.client_id
  where t.digest = any (digests)
    and wanted_resource = any (t.resources)
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > app_now())
    -- A worker's own grant has a user who need not be a member.
    and (t.user_id is null or (u.disabled_at is null and (m.role is not null or t.person_id is not null)))
    and (t.person_id is null or (p.deleted_at is null and p.access is distinct from 'disabled'))
    and (t.grant_id is null or (
      g.revoked_at is null and (g.ends_at is null or g.ends_at > app_now())
      and c.client_id is not null and (c.expires_at is null or c.expires_at > app_now())
      and v.verdict is distinct from 'blocked'))
  limit 1;
end
$$;
revoke all on function resolve_access_token(bytea[], text) from public;
alter function resolve_access_token(bytea[], text) owner to stint_lookup;
revoke create on schema public from stint_lookup;
