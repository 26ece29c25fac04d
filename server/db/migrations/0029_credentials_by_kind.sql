-- A credential is looked up by one plain statement, which the login may run by itself: it reads these views and no table.
-- There is one for each kind of token, as its prefix tells it, with the joins that this kind needs: a function over all
-- kinds joined eight tables and took 116 µs. A row is there as long as the credential is good, decided at each reading.
create view live_organization_tokens as
select t.digest, t.resources, t.id, t.organization_id, t.kind, t.name, t.scopes, t.sensitive_data, null::uuid as user_id,
       null::uuid as person_id, null::text as client_id, null::uuid as grant_id, t.root_id, t.expires_at, o.is_sandbox,
       null::text as role, coalesce(t.last_used_at > app_now() - interval '1 minute', false) as used_recently
from access_tokens t
join organizations o on o.id = t.organization_id
where t.kind = 'organization' and t.user_id is null and t.person_id is null
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

create view live_personal_tokens as
select t.digest, t.resources, t.id, t.organization_id, t.kind, u.name, t.scopes, t.sensitive_data, t.user_id,
       null::uuid as person_id, null::text as client_id, null::uuid as grant_id, t.root_id, t.expires_at, o.is_sandbox,
       m.role, coalesce(t.last_used_at > app_now() - interval '1 minute', false) as used_recently
from access_tokens t
join organizations o on o.id = t.organization_id
join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
join users u on u.id = t.user_id and u.disabled_at is null
where t.kind = 'personal' and t.person_id is null
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

create view live_worker_tokens as
select t.digest, t.resources, t.id, t.organization_id, t.kind, t.name, t.scopes, t.sensitive_data, null::uuid as user_id,
       t.person_id, null::text as client_id, null::uuid as grant_id, t.root_id, t.expires_at, o.is_sandbox,
       null::text as role, coalesce(t.last_used_at > app_now() - interval '1 minute', false) as used_recently
from access_tokens t
join organizations o on o.id = t.organization_id
join people p on p.organization_id = t.organization_id and p.id = t.person_id
  and p.deleted_at is null and p.access is distinct from 'disabled'
where t.kind = 'worker' and t.user_id is null
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

create view live_oauth_tokens as
select t.digest, t.resources, t.id, t.organization_id, t.kind, coalesce(u.name, t.name) as name, t.scopes,
       t.sensitive_data, t.user_id, t.person_id, t.client_id, t.grant_id, t.root_id, g.ends_at as expires_at, o.is_sandbox,
       m.role, coalesce(t.last_used_at > app_now() - interval '1 minute', false) as used_recently
from access_tokens t
join organizations o on o.id = t.organization_id
join oauth_grants g on g.organization_id = t.organization_id and g.id = t.grant_id
  and g.revoked_at is null and (g.ends_at is null or g.ends_at > app_now())
join oauth_clients c on c.client_id = t.client_id and (c.expires_at is null or c.expires_at > app_now())
left join oauth_client_verdicts v on v.organization_id = t.organization_id and v.client_id = t.client_id
left join users u on u.id = t.user_id
left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
left join people p on p.organization_id = t.organization_id and p.id = t.person_id
where t.kind = 'oauth' and v.verdict is distinct from 'blocked'
  -- A worker's own grant has a user who need not be a member.
  and (t.user_id is null or (u.disabled_at is null and (m.role is not null or t.person_id is not null)))
  and (t.person_id is null or (p.deleted_at is null and p.access is distinct from 'disabled'))
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

-- A client before any organization is known.
create view known_oauth_clients as
select c.*, o.name as organization_name, o.is_sandbox
from oauth_clients c left join organizations o on o.id = c.owner_organization_id
where c.expires_at is null or c.expires_at > app_now();

-- Views read as their owner, under its policies.
grant create on schema public to stint_lookup;
do $$
declare
  name text;
begin
  foreach name in array array['live_organization_tokens', 'live_personal_tokens', 'live_worker_tokens',
                              'live_oauth_tokens', 'known_oauth_clients'] loop
    execute format('alter view %I owner to stint_lookup', name);
    if exists (select from pg_roles where rolname = 'stint_service') then
      execute format('grant select on %I to stint_service', name);
    end if;
  end loop;
end
$$;
drop function resolve_access_token(bytea[], text);

-- As before, in one expression and with one setting: the statement that asks it stays on indexes by itself.
create or replace function grant_holder_is_live(holder_organization_id uuid, holder_user_id uuid, holder_person_id uuid)
returns boolean
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return (holder_user_id is null or exists (select from users where id = holder_user_id and disabled_at is null))
    and case
      when holder_person_id is not null then exists (
        select from people
        where organization_id = holder_organization_id and id = holder_person_id
          and deleted_at is null and access <> 'disabled')
      else holder_user_id is null or exists (
        select from memberships where organization_id = holder_organization_id and user_id = holder_user_id)
    end;
end
$$;

-- A transaction that begins with a secret enters the organization that the secret is of, by its exact digest.
drop function oauth_secret_organization(text, bytea[]);
create function enter_organization_of_secret(secret_kind text, secret_digest bytea) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  found_id uuid;
begin
  if secret_kind = 'refresh' then
    select organization_id into found_id from oauth_refresh_tokens where digest = secret_digest;
  elsif secret_kind = 'code' then
    select organization_id into found_id from oauth_codes where digest = secret_digest;
  elsif secret_kind = 'oauth' then
    select organization_id into found_id from access_tokens where digest = secret_digest and kind = 'oauth';
  end if;
  perform set_config('app.organization_id', coalesce(found_id::text, ''), true);
end
$$;
revoke all on function enter_organization_of_secret(text, bytea) from public;
grant execute on function enter_organization_of_secret(text, bytea) to stint_app;
alter function enter_organization_of_secret(text, bytea) owner to stint_lookup;
revoke create on schema public from stint_lookup;
