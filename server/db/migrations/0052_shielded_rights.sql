-- A member is closed with the person that it is: by the login of the person, or by an address of the person that is the account's.
-- Closing by address is safe; opening undoes nothing but what the closing of the same person did. `closed_by` is that person,
-- null for a member that was disabled by hand.
alter table memberships add column closed_by uuid;
grant update (closed_by) on memberships to stint_app;
create index memberships_closed_by on memberships (organization_id, closed_by) where closed_by is not null;

-- The addresses are those from before the change: whoever closes somebody was judged by them.
create function close_memberships_of_person() returns trigger language plpgsql as $$
declare
  known people := coalesce(old, new);
begin
  if new.access = 'disabled' then
    update memberships m set status = 'disabled', closed_by = new.id, updated_at = app_now()
    from member_accounts a
    where m.organization_id = new.organization_id and m.status = 'active'
      and a.organization_id = m.organization_id and a.user_id = m.user_id
      and (m.user_id = known.user_id or lower(a.email) in (known.email_lower, known.user_name_lower));
  else
    update memberships m set status = 'active', closed_by = null, updated_at = app_now()
    where m.organization_id = new.organization_id and m.closed_by is not null
      and (m.closed_by = new.id or m.user_id = new.user_id and exists (
        select from people p
        where p.organization_id = m.organization_id and p.id = m.closed_by and p.deleted_at is not null));
  end if;
  return null;
end
$$;
create trigger people_closed_on_arrival after insert on people
  for each row when (new.access = 'disabled') execute function close_memberships_of_person();
create trigger people_access after update of access on people
  for each row when (new.access is distinct from old.access) execute function close_memberships_of_person();

-- Those who are closed already, by address as well; no owner by address, since an organization could be left without one.
alter table memberships no force row level security;
alter table people no force row level security;
update memberships m set status = 'disabled', closed_by = p.id, updated_at = app_now()
from users u, people p
where u.id = m.user_id and m.status = 'active' and p.organization_id = m.organization_id and p.access = 'disabled'
  and (p.user_id = m.user_id or m.role <> 'owner' and lower(u.email) in (p.email_lower, p.user_name_lower))
  and not exists (
    select from people o
    where o.organization_id = m.organization_id and o.access <> 'disabled' and o.deleted_at is null
      and (o.user_id = m.user_id or lower(u.email) in (o.email_lower, o.user_name_lower)));
alter table memberships force row level security;
alter table people force row level security;

-- Until a day after it was lowered, the rule that a second person approves counts for what is paid.
alter table organizations add column approval_lowered_at timestamptz(3);

-- The account that a payee had when the payment was made, as a digest: null of payments made before this was kept.
alter table payment_invoices add column account_digest bytea;
create function digest_of_account(account jsonb) returns bytea
language sql immutable as $$ select sha256(convert_to(coalesce(account::text, ''), 'UTF8')) $$;

-- An organization ends what a session is in it. Of an account that is elsewhere too the session goes on there.
alter table sessions add column ended_in uuid[] not null default '{}';
create function end_sessions_in(account_id uuid, place uuid) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  if exists (select from memberships where user_id = account_id and organization_id <> place)
     or exists (select from people where user_id = account_id and organization_id <> place and deleted_at is null) then
    update sessions set ended_in = ended_in || place where user_id = account_id and place <> all (ended_in);
  else
    delete from sessions where user_id = account_id;
  end if;
end
$$;
revoke all on function end_sessions_in(uuid, uuid) from public;
grant execute on function end_sessions_in(uuid, uuid) to stint_operator;

create or replace function end_sessions_of_member(member_id uuid) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select end_sessions_in(m.user_id, m.organization_id) from memberships m
  where m.organization_id = current_organization() and m.user_id = member_id
$$;
create or replace function end_sessions_of_person(person_id uuid) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select end_sessions_in(p.user_id, p.organization_id) from people p
  where p.organization_id = current_organization() and p.id = person_id and p.user_id is not null
$$;

-- A session opens what its account may, but for the organizations that ended it.
alter function resolve_session(bytea) rename to resolve_whole_session;
create function resolve_session(session_digest bytea)
returns table (
  session_id uuid, user_id uuid, email text, name text, authenticated_at timestamptz, expires_at timestamptz,
  second_factor boolean, seen_recently boolean, memberships jsonb, workers jsonb
)
language sql stable security definer set search_path = public, pg_temp rows 1
as $$
  select w.session_id, w.user_id, w.email, w.name, w.authenticated_at, w.expires_at, w.second_factor, w.seen_recently,
         coalesce((select jsonb_agg(one order by n) from jsonb_array_elements(w.memberships) with ordinality e (one, n)
                   where (one ->> 'organization_id')::uuid <> all (s.ended_in)), '[]'),
         coalesce((select jsonb_agg(one order by n) from jsonb_array_elements(w.workers) with ordinality e (one, n)
                   where (one ->> 'organization_id')::uuid <> all (s.ended_in)), '[]')
  from resolve_whole_session(session_digest) w join sessions s on s.id = w.session_id
$$;
revoke all on function resolve_session(bytea) from public;
grant create on schema public to stint_lookup;
alter function end_sessions_in(uuid, uuid) owner to stint_lookup;
alter function resolve_session(bytea) owner to stint_lookup;
revoke create on schema public from stint_lookup;
do $$
begin
  if exists (select from pg_roles where rolname = 'stint_service') then
    grant execute on function resolve_session(bytea) to stint_service;
  end if;
end
$$;
