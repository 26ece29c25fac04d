-- A team may give a role to its members who have an account: the strongest of several, which is the first of this type, and
-- never owner.
create type team_role as enum ('admin', 'finance', 'developer', 'viewer');
alter table teams add column mapped_role team_role;
create index teams_mapped on teams (organization_id) where mapped_role is not null;
-- A session asks for all places of one account.
create index people_account on people (user_id) where user_id is not null;

-- The last time that provisioning wrote a person.
alter table people add column scim_synced_at timestamptz(3);
update people set scim_synced_at = scim_linked_at where scim_linked_at is not null;
create index people_provisioned on people (organization_id, created_at desc, id desc)
  where scim_linked_at is not null and scim_removed_at is null;

-- Rights are found out as stint_lookup, at every request: from this view and nowhere else. A disabled member has none, nor one
-- whose access as a person was closed, also once that person is deleted; opening it again restores the membership, and
-- nothing that ended. The role of a team counts in place of the one given by hand, but for owners, and without a membership too.
alter policy lookup on memberships using (true);
create policy credential_lookup on teams for select to stint_lookup using (true);
create policy credential_lookup on team_members for select to stint_lookup using (true);
grant select (organization_id, id, deleted_at, mapped_role) on teams to stint_lookup;
grant select (organization_id, team_id, person_id) on team_members to stint_lookup;

create view standing_members as
select m.organization_id, m.user_id,
       case when m.role = 'owner' then m.role else coalesce(t.role::text, m.role) end as role,
       case when m.role <> 'owner' then t.role::text end as team_role
from memberships m
cross join lateral (
  select min(t.mapped_role) filter (where p.access = 'enabled' and p.deleted_at is null) as role,
         coalesce(bool_or(p.access = 'disabled') and not bool_or(p.access <> 'disabled' and p.deleted_at is null), false)
           as is_closed
  from people p
  left join team_members x on x.organization_id = p.organization_id and x.person_id = p.id
  left join teams t on t.organization_id = x.organization_id and t.id = x.team_id and t.deleted_at is null
  where p.organization_id = m.organization_id and p.user_id = m.user_id) t
where m.status = 'active' and not t.is_closed
union all
select p.organization_id, p.user_id, min(t.mapped_role)::text as role, min(t.mapped_role)::text as team_role
from people p
join team_members x on x.organization_id = p.organization_id and x.person_id = p.id
join teams t on t.organization_id = x.organization_id and t.id = x.team_id and t.deleted_at is null
where p.user_id is not null and p.access = 'enabled' and p.deleted_at is null and t.mapped_role is not null
  -- Whoever was disabled as a member comes back through no team.
  and not exists (select from memberships m where m.organization_id = p.organization_id and m.user_id = p.user_id)
group by p.organization_id, p.user_id;

-- The same as an operation sees it: of the organization that the transaction is of.
create view own_members as
select organization_id, user_id, role, team_role from standing_members where organization_id = current_organization();

-- As before, with the roles that stand. The limits keep the look at the view to one member: joined, it would be read whole.
create or replace view live_personal_tokens as
select t.digest, t.resources, t.id, t.organization_id, t.kind, u.name, t.scopes, t.sensitive_data, t.user_id,
       null::uuid as person_id, null::text as client_id, null::uuid as grant_id, t.root_id, t.expires_at, o.is_sandbox,
       m.role, coalesce(t.last_used_at > app_now() - interval '1 minute', false) as used_recently
from access_tokens t
join organizations o on o.id = t.organization_id
cross join lateral (
  select s.role from standing_members s
  where s.organization_id = t.organization_id and s.user_id = t.user_id limit 1) m
join users u on u.id = t.user_id and u.disabled_at is null
where t.kind = 'personal' and t.person_id is null
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

create or replace view live_oauth_tokens as
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
left join lateral (
  select s.role from standing_members s
  where s.organization_id = t.organization_id and s.user_id = t.user_id limit 1) m on true
left join people p on p.organization_id = t.organization_id and p.id = t.person_id
where t.kind = 'oauth' and v.verdict is distinct from 'blocked'
  -- A worker's own grant has a user who need not be a member.
  and (t.user_id is null or (u.disabled_at is null and (m.role is not null or t.person_id is not null)))
  and (t.person_id is null or (p.deleted_at is null and p.access is distinct from 'disabled'))
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > app_now());

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
        select from standing_members where organization_id = holder_organization_id and user_id = holder_user_id)
    end;
end
$$;

create or replace function resolve_session(session_digest bytea)
returns table (
  session_id uuid, user_id uuid, email text, name text, authenticated_at timestamptz, expires_at timestamptz,
  second_factor boolean, seen_recently boolean, memberships jsonb, workers jsonb
)
language sql stable security definer set search_path = public, pg_temp rows 1
as $$
  select s.id, u.id, u.email, u.name, s.authenticated_at, s.expires_at, s.second_factor,
         s.last_seen_at > app_now() - interval '1 minute',
         coalesce((
           select jsonb_agg(jsonb_build_object('organization_id', o.id, 'organization_name', o.name,
                                               'is_sandbox', o.is_sandbox, 'role', m.role,
                                               'lacks_second_factor', not s.second_factor
                                                 and o.settings ->> 'second_factor' is not distinct from 'required')
                            order by o.name, o.id)
           from standing_members m join organizations o on o.id = m.organization_id
           where m.user_id = u.id), '[]'),
         coalesce((
           select jsonb_agg(jsonb_build_object('organization_id', o.id, 'organization_name', o.name,
                                               'is_sandbox', o.is_sandbox, 'person_id', p.id) order by o.name, o.id)
           from people p join organizations o on o.id = p.organization_id
           where p.user_id = u.id and p.deleted_at is null and p.access = 'enabled'), '[]')
  from sessions s
  join users u on u.id = s.user_id
  where s.digest = session_digest
    and s.expires_at > app_now()
    and s.last_seen_at > app_now() - interval '8 hours'
    and u.disabled_at is null
$$;

create or replace function reset_factors_of_member(member_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform from users where id = member_id for update;
  if not exists (select from standing_members where organization_id = current_organization() and user_id = member_id)
     or exists (select from memberships where organization_id <> current_organization() and user_id = member_id)
     or exists (select from people
                where organization_id <> current_organization() and user_id = member_id and deleted_at is null) then
    return false;
  end if;
  delete from totp_secrets where user_id = member_id;
  delete from passkeys where user_id = member_id;
  delete from recovery_keys where user_id = member_id;
  delete from sessions where user_id = member_id;
  return true;
end
$$;

grant create on schema public to stint_lookup;
alter view standing_members owner to stint_lookup;
alter view own_members owner to stint_lookup;
revoke create on schema public from stint_lookup;
grant select on own_members to stint_app, stint_operator;
