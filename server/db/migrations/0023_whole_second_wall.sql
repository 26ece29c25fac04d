-- Row-level security on every table that holds a tenant's rows, and logins that own none of them.
--
-- `stint_operator` is what the operator's commands and set-up links act as. `stint_service` is who connects: by itself
-- it may look up credentials and nothing else, and it takes one of the four roles for one transaction at a time. It is
-- no member of the owner of the tables, so nothing that runs in the service can change or pass a policy.
do $$
declare
  name text;
begin
  begin
    create role stint_operator nologin;
  exception when duplicate_object or unique_violation or insufficient_privilege then
    -- Made before, by another owner on this server or by its administrator.
    null;
  end;
  begin
    execute format('grant stint_operator to %I', current_user);
  exception when insufficient_privilege or undefined_object then
    if not exists (select from pg_roles where rolname = 'stint_operator')
       or not pg_has_role(current_user, 'stint_operator', 'member') then
      raise exception 'an administrator has to make the role stint_operator and grant it to %', current_user
        using hint = format('create role stint_operator nologin; grant stint_operator to %I', current_user);
    end if;
  end;
  -- A login of its own is offered, not demanded: whoever may make no roles goes on with the login that owns the tables.
  begin
    create role stint_service nologin noinherit;
  exception when duplicate_object or unique_violation or insufficient_privilege then
    null;
  end;
  foreach name in array array['stint_app', 'stint_engine', 'stint_lookup', 'stint_operator'] loop
    begin
      if exists (select from pg_roles where rolname = 'stint_service') and not pg_has_role('stint_service', name, 'member') then
        execute format('grant %I to stint_service', name);
      end if;
    exception when insufficient_privilege then
      null;
    end;
  end loop;
  if exists (select from pg_roles where rolname = 'stint_service') then
    grant usage on schema public to stint_service;
    grant select on schema_migrations to stint_service;
    grant execute on function resolve_access_token(bytea[], text), resolve_session(bytea),
      oauth_secret_organization(text, bytea[]) to stint_service;
  end if;
end
$$;
grant usage on schema public to stint_operator;

-- What the operator's commands and the first owner's set-up link write: in the organization that is set, like everybody.
do $$
declare
  name regclass;
begin
  foreach name in array array['organizations', 'legal_entities', 'memberships', 'access_tokens', 'audit_entries']::regclass[] loop
    execute format('alter policy tenant on %s to stint_app, stint_operator', name);
  end loop;
end
$$;
grant select, insert, update on organizations, legal_entities, memberships to stint_operator;
grant select, insert on access_tokens, audit_entries to stint_operator;
grant select, insert, update on users to stint_operator;
grant select, insert, update, delete on sessions, set_up_links to stint_operator;
grant select, insert, delete on sealing_canaries to stint_operator;
grant select on schema_migrations to stint_operator;

-- Requests at the authorization endpoint belong to whoever holds their id, until a user chooses an organization: found
-- by exact digest only, as stint_lookup. The decision joins the transaction that makes the grant.
alter table oauth_requests enable row level security;
alter table oauth_requests force row level security;
create policy lookup on oauth_requests to stint_lookup using (true);
create policy engine on oauth_requests to stint_engine using (true);
revoke all on oauth_requests from stint_app;
grant select, insert, update (session_id, decided_at) on oauth_requests to stint_lookup;

-- Assertions and secrets prove a client before its organization is known.
alter table oauth_assertions enable row level security;
alter table oauth_assertions force row level security;
create policy lookup on oauth_assertions to stint_lookup using (true);
create policy engine on oauth_assertions to stint_engine using (true);
revoke all on oauth_assertions from stint_app;
grant select, insert on oauth_assertions to stint_lookup;

-- A secret is of the organization that its client is of. Clients that registered themselves are of none: stint_lookup
-- writes theirs.
alter table oauth_client_secrets enable row level security;
alter table oauth_client_secrets force row level security;
create policy tenant on oauth_client_secrets to stint_app using (exists (
  select from oauth_clients c
  where c.client_id = oauth_client_secrets.client_id and c.owner_organization_id = current_organization()));
create policy lookup on oauth_client_secrets to stint_lookup using (true);
create policy engine on oauth_client_secrets to stint_engine using (true);
grant insert, update (digest, pepper) on oauth_client_secrets to stint_lookup;

-- Clients of nobody are seen by all organizations and written by none: what they say of themselves is kept before any
-- organization is known, and they stay of nobody.
drop policy tenant on oauth_clients;
create policy tenant on oauth_clients to stint_app using (owner_organization_id = current_organization());
create policy shared on oauth_clients for select to stint_app using (owner_organization_id is null);
create policy lookup_insert on oauth_clients for insert to stint_lookup with check (owner_organization_id is null);
create policy lookup_update on oauth_clients for update to stint_lookup using (true);
grant insert, update (name, description, redirect_uris, grant_types, auth_methods, application_type, client_uri, logo_uri,
  scopes, jwks, jwks_uri, document_fresh_until, updated_at, last_used_at) on oauth_clients to stint_lookup;

-- Keeps a client of this organization or of nobody as it is until the transaction is over; false when there is none.
create function lock_oauth_client(wanted_client_id text) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform from oauth_clients
  where client_id = wanted_client_id
    and (owner_organization_id is null or owner_organization_id = current_organization()) for update;
  return found;
end
$$;

-- The request of a session as it is, marked as decided from now on; locked until the transaction that decides is over.
create function decide_oauth_request(request_digest bytea, deciding_session uuid) returns setof oauth_requests
language plpgsql security definer rows 1 set search_path = public, pg_temp
as $$
declare
  request oauth_requests;
begin
  select * into request from oauth_requests
  where digest = request_digest and session_id = deciding_session and expires_at > app_now() for update;
  if found then
    update oauth_requests set decided_at = app_now() where digest = request_digest and decided_at is null;
    return next request;
  end if;
end
$$;
revoke all on function lock_oauth_client(text), decide_oauth_request(bytea, uuid) from public;
grant execute on function lock_oauth_client(text), decide_oauth_request(bytea, uuid) to stint_app;
grant create on schema public to stint_lookup;
alter function lock_oauth_client(text) owner to stint_lookup;
alter function decide_oauth_request(bytea, uuid) owner to stint_lookup;
revoke create on schema public from stint_lookup;

-- Partitions are read through their tables; by themselves they open to the engine only, which looks into single weeks
-- before it drops them.
create procedure protect_event_partition(name regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy engine on %s to stint_engine using (true)', name);
  execute format('grant select on %s to stint_engine', name);
end
$$;
do $$
declare
  name regclass;
begin
  for name in select i.inhrelid from pg_inherits i
              where i.inhparent = any (array['events', 'event_resources', 'event_bodies', 'webhook_deliveries',
                                             'webhook_attempts']::regclass[]) loop
    call protect_event_partition(name);
  end loop;
end
$$;

-- Tables come and go by two functions of their owner, for the engine alone.
create or replace function add_event_partitions(moment timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  week timestamptz := date_trunc('week', moment, 'UTC');
  suffix text := to_char(week at time zone 'UTC', 'YYYYMMDD');
  parent text;
begin
  perform pg_advisory_xact_lock(hashtext('add_event_partitions'));
  if to_regclass('events_' || suffix) is not null then
    return false;
  end if;
  foreach parent in array array['events', 'event_resources', 'event_bodies', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('create table %I partition of %I for values from (%L) to (%L)',
                   parent || '_' || suffix, parent, first_id_at(week), first_id_at(week + interval '7 days'));
    call protect_event_partition((parent || '_' || suffix)::regclass);
  end loop;
  return true;
end
$$;
revoke all on function add_event_partitions(timestamptz) from public;
grant execute on function add_event_partitions(timestamptz) to stint_engine;

create function drop_event_partitions(week text) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  parent text;
begin
  if week !~ '^[0-9]{8}$' then
    raise exception 'not a week: %', week;
  end if;
  foreach parent in array array['events', 'event_resources', 'event_bodies', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('drop table if exists %I', parent || '_' || week);
  end loop;
end
$$;
revoke all on function drop_event_partitions(text) from public;
grant execute on function drop_event_partitions(text) to stint_engine;
