-- Roles of the service. They belong to the whole server, hence "if not exists"; none can log in and none owns a table,
-- so row-level security binds them. The connecting user may take each of them, for one transaction at a time.
do $$
declare
  name text;
begin
  foreach name in array array['stint_app', 'stint_engine', 'stint_lookup'] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation or insufficient_privilege then
      -- Made before, by another owner on this server or by its administrator.
      null;
    end;
    begin
      execute format('grant %I to %I', name, current_user);
    exception when insufficient_privilege or undefined_object then
      if not exists (select from pg_roles where rolname = name) or not pg_has_role(current_user, name, 'member') then
        raise exception 'an administrator has to make the role % and grant it to %', name, current_user
          using hint = format('create role %I nologin; grant %I to %I', name, name, current_user);
      end if;
    end;
  end loop;
end
$$;

grant usage on schema public to stint_app, stint_engine, stint_lookup;

create table schema_migrations (
  version    int primary key,
  name       text not null,
  checksum   text not null,
  applied_at timestamptz not null default now()
);

-- Engine time. STABLE, so that an index can be searched with it; tests replace it by a clock they move.
create function app_now() returns timestamptz language sql stable parallel safe
  return statement_timestamp();

-- The organization of this transaction; null without one, and then no row of a tenant table is visible.
create function current_organization() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.organization_id', true), '')::uuid;

-- The second wall of tenancy: every table with an organization_id goes through this.
create procedure protect_tenant_table(name regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy tenant on %s to stint_app using (organization_id = current_organization())', name);
end
$$;

create table organizations (
  id               uuid primary key,
  organization_id  uuid generated always as (id) stored,
  name             text not null,
  legal_name       text,
  country          text,
  default_currency text not null,
  timezone         text not null,
  is_sandbox       boolean not null,
  settings         jsonb not null default '{}',
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null
);
call protect_tenant_table('organizations');
grant select, insert, update on organizations to stint_app;

create table users (
  id            uuid primary key,
  email         text not null,
  name          text not null,
  password_hash text,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null
);
create unique index users_email on users (lower(email));

create table memberships (
  organization_id uuid not null references organizations,
  user_id         uuid not null references users,
  role            text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  created_at      timestamptz(3) not null,
  primary key (organization_id, user_id)
);
call protect_tenant_table('memberships');
grant select on memberships to stint_app;

create table access_tokens (
  id                uuid not null,
  organization_id   uuid not null references organizations,
  kind              text not null check (kind in ('organization', 'personal', 'worker', 'oauth')),
  digest            bytea,
  pepper            text not null,
  prefix            text not null,
  last4             text not null,
  name              text not null,
  scopes            text[] not null,
  sensitive_data    text[] not null,
  user_id           uuid,
  person_id         uuid,
  parent_token_id   uuid,
  created_by        jsonb not null,
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  expires_at        timestamptz(3),
  last_used_at      timestamptz(3),
  last_used_address text,
  revoked_at        timestamptz(3),
  revoked_by        jsonb,
  successor_id      uuid,
  primary key (organization_id, id)
);
create unique index access_tokens_digest on access_tokens (digest);
create index access_tokens_list on access_tokens (organization_id, created_at desc, id desc);
create index access_tokens_parent on access_tokens (organization_id, parent_token_id) where parent_token_id is not null;
create index access_tokens_person on access_tokens (organization_id, person_id) where person_id is not null;
call protect_tenant_table('access_tokens');
grant select, insert, update on access_tokens to stint_app;

-- A credential is looked up before its organization is known: exact digests in, at most one row out. The function runs
-- as stint_lookup, which sees these three tables and may be taken by nobody's request.
create policy lookup on access_tokens for select to stint_lookup using (true);
create policy lookup on organizations for select to stint_lookup using (true);
create policy lookup on memberships for select to stint_lookup using (true);
grant select on access_tokens, organizations, memberships to stint_lookup;

create function resolve_access_token(digests bytea[])
returns table (
  id uuid, organization_id uuid, kind text, name text, scopes text[], sensitive_data text[], user_id uuid,
  person_id uuid, expires_at timestamptz, is_sandbox boolean, role text, used_recently boolean, digest bytea
)
language sql stable security definer set search_path = public, pg_temp rows 1
as $$
  select t.id, t.organization_id, t.kind, t.name, t.scopes, t.sensitive_data, t.user_id, t.person_id, t.expires_at,
         o.is_sandbox, m.role, coalesce(t.last_used_at > app_now() - interval '1 minute', false), t.digest
  from access_tokens t
  join organizations o on o.id = t.organization_id
  left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
  where t.digest = any (digests)
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > app_now())
    and (t.user_id is null or m.role is not null)
  limit 1
$$;
revoke all on function resolve_access_token(bytea[]) from public;
grant create on schema public to stint_lookup;
alter function resolve_access_token(bytea[]) owner to stint_lookup;
revoke create on schema public from stint_lookup;

create table audit_entries (
  id              uuid not null,
  organization_id uuid not null,
  occurred_at     timestamptz(3) not null,
  actor           jsonb not null,
  credential_id   uuid,
  action          text not null,
  subject_kind    text not null,
  subject_id      uuid,
  changed_fields  text[] not null,
  request_id      text,
  address         text,
  primary key (organization_id, id)
);
call protect_tenant_table('audit_entries');
grant select, insert on audit_entries to stint_app;

create table idempotent_answers (
  organization_id uuid not null,
  key_digest      bytea not null,
  body_digest     bytea not null,
  status          int not null,
  body            bytea,
  is_sealed       boolean not null,
  created_at      timestamptz(3) not null,
  primary key (organization_id, key_digest)
);
create index idempotent_answers_age on idempotent_answers (created_at);
call protect_tenant_table('idempotent_answers');
grant select, insert, update, delete on idempotent_answers to stint_app;

create table timers (
  id              uuid not null,
  organization_id uuid not null,
  kind            text not null,
  priority        smallint not null,
  subject_id      uuid not null,
  contract_id     uuid,
  due_at          timestamptz(3) not null,
  fired_at        timestamptz(3),
  cancelled_at    timestamptz(3),
  failures        int not null default 0,
  retry_at        timestamptz(3),
  created_at      timestamptz(3) not null,
  primary key (organization_id, id)
);
create unique index timers_open on timers (organization_id, kind, subject_id)
  where fired_at is null and cancelled_at is null;
create index timers_due on timers (due_at, priority, contract_id, id) where fired_at is null and cancelled_at is null;
call protect_tenant_table('timers');
create policy engine on timers to stint_engine using (true);
grant select, insert, update on timers to stint_app;
grant select, update on timers to stint_engine;
