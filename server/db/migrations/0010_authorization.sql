-- The authorization server: clients, requests, grants and what is issued under them. A session of the console and what
-- signs a user in follow in a migration of their own.

-- A user who is disabled may do nothing with any credential; enabling again revives none that ended meanwhile.
alter table users add column disabled_at timestamptz(3);

-- What a token opens (RFC 8707): `rest` is the REST API and SCIM, `mcp` the tool server.
alter table access_tokens
  add column resources       text[] not null default '{rest}' check (resources <@ '{rest,mcp}' and cardinality(resources) > 0),
  add column client_id       text,
  add column grant_id        uuid,
  add column parent_grant_id uuid,
  add column revoked_reason  text,
  add check ((kind = 'oauth') = (grant_id is not null and client_id is not null));
-- The owner of the table reads over all organizations only while row-level security is not forced on it.
alter table access_tokens no force row level security;
update access_tokens set resources = '{rest,mcp}' where kind = 'personal';
alter table access_tokens force row level security;
create index access_tokens_grant on access_tokens (organization_id, grant_id) where grant_id is not null;
create index access_tokens_parent_grant on access_tokens (organization_id, parent_grant_id)
  where parent_grant_id is not null;
create index access_tokens_user on access_tokens (organization_id, user_id) where user_id is not null;
create index access_tokens_oauth_end on access_tokens (expires_at) where kind = 'oauth';
-- The digests of other tokens that are dropped long after their end.
create index access_tokens_ended on access_tokens (coalesce(revoked_at, expires_at))
  where kind <> 'oauth' and digest is not null;

-- Dynamic and document clients belong to nobody, managed ones to the organization that made them. No column is called
-- organization_id: a client is found by its client_id, before any organization is known.
create table oauth_clients (
  client_id             text primary key,
  kind                  text not null check (kind in ('dynamic', 'document', 'managed')),
  owner_organization_id uuid references organizations,
  name                  text not null,
  description           text,
  redirect_uris         text[] not null,
  grant_types           text[] not null,
  auth_methods          text[] not null,
  application_type      text,
  code_challenge_method text,
  client_uri            text,
  logo_uri              text,
  scopes                text[],
  sensitive_data        text[] not null default '{}',
  resources             text[] not null default '{mcp,rest}' check (resources <@ '{rest,mcp}' and cardinality(resources) > 0),
  jwks                  jsonb,
  jwks_uri              text,
  document              jsonb,
  document_fresh_until  timestamptz(3),
  created_by            jsonb,
  -- The credential that made a managed client: the client ends with it.
  parent_token_id       uuid,
  parent_grant_id       uuid,
  expires_at            timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  last_used_at          timestamptz(3),
  check ((kind = 'managed') = (owner_organization_id is not null))
);
create index oauth_clients_list on oauth_clients (owner_organization_id, created_at desc, client_id desc)
  where owner_organization_id is not null;
create index oauth_clients_unused on oauth_clients (kind, last_used_at);
create index oauth_clients_parent_token on oauth_clients (owner_organization_id, parent_token_id)
  where parent_token_id is not null;
create index oauth_clients_parent_grant on oauth_clients (owner_organization_id, parent_grant_id)
  where parent_grant_id is not null;
alter table oauth_clients enable row level security;
alter table oauth_clients force row level security;
create policy tenant on oauth_clients to stint_app
  using (owner_organization_id is null or owner_organization_id = current_organization());
create policy lookup on oauth_clients for select to stint_lookup using (true);
create policy engine on oauth_clients to stint_engine using (true);
grant select, insert, update, delete on oauth_clients to stint_app;
grant select on oauth_clients to stint_lookup;
grant select, update (last_used_at), delete on oauth_clients to stint_engine;

create table oauth_client_secrets (
  digest     bytea primary key,
  client_id  text not null references oauth_clients on delete cascade,
  pepper     text not null,
  prefix     text not null,
  last4      text not null,
  created_at timestamptz(3) not null,
  retires_at timestamptz(3)
);
create index oauth_client_secrets_client on oauth_client_secrets (client_id);
create index oauth_client_secrets_end on oauth_client_secrets (retires_at) where retires_at is not null;
grant select, insert, update, delete on oauth_client_secrets to stint_app;
grant select on oauth_client_secrets to stint_lookup;
grant select (digest, retires_at), update (retires_at), delete on oauth_client_secrets to stint_engine;

-- What an organization thinks of a client; it counts for this organization only.
create table oauth_client_verdicts (
  organization_id uuid not null references organizations,
  client_id       text not null,
  verdict         text not null check (verdict in ('verified', 'blocked')),
  decided_by      jsonb not null,
  decided_at      timestamptz(3) not null,
  primary key (organization_id, client_id)
);
call protect_tenant_table('oauth_client_verdicts');
create policy lookup on oauth_client_verdicts for select to stint_lookup using (true);
grant select, insert, update, delete on oauth_client_verdicts to stint_app;
grant select on oauth_client_verdicts to stint_lookup;

-- Requests at the authorization endpoint, of no organization until a user chooses one on the consent page.
create table oauth_requests (
  digest         bytea primary key,
  client_id      text not null,
  redirect_uri   text not null,
  state          text,
  scopes         text[] not null,
  resource       text not null check (resource in ('rest', 'mcp')),
  code_challenge text not null,
  session_id     uuid,
  created_at     timestamptz(3) not null,
  expires_at     timestamptz(3) not null,
  decided_at     timestamptz(3)
);
create index oauth_requests_end on oauth_requests (expires_at);
create index oauth_requests_client on oauth_requests (client_id);
grant select, insert, update on oauth_requests to stint_app;
grant select, update (decided_at), delete on oauth_requests to stint_engine;

-- One consent, or one standing permission of a client that acts for the organization: then without user and person.
create table oauth_grants (
  organization_id uuid not null references organizations,
  id              uuid not null,
  user_id         uuid references users,
  person_id       uuid,
  client_id       text not null,
  client_name     text not null,
  redirect_host   text,
  resource        text not null check (resource in ('rest', 'mcp')),
  scopes          text[] not null,
  sensitive_data  text[] not null,
  -- Redeemed with a signed assertion, so it is refreshed with one only (null until redeemed).
  with_assertion  boolean,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  ends_at         timestamptz(3),
  last_used_at    timestamptz(3),
  revoked_at      timestamptz(3),
  revoked_by      jsonb,
  revoked_reason  text,
  primary key (organization_id, id),
  foreign key (organization_id, person_id) references people
);
create index oauth_grants_list on oauth_grants (organization_id, created_at desc, id desc);
create index oauth_grants_user on oauth_grants (organization_id, user_id) where user_id is not null;
create index oauth_grants_person on oauth_grants (organization_id, person_id) where person_id is not null;
create index oauth_grants_client on oauth_grants (client_id) where revoked_at is null;
create index oauth_grants_end on oauth_grants (coalesce(revoked_at, ends_at));
create unique index oauth_grants_standing on oauth_grants (organization_id, client_id, resource)
  where user_id is null and person_id is null and revoked_at is null;
call protect_tenant_table('oauth_grants');
create policy lookup on oauth_grants for select to stint_lookup using (true);
create policy engine on oauth_grants to stint_engine using (true);
grant select, insert, update on oauth_grants to stint_app;
grant select on oauth_grants to stint_lookup;
grant select, update (updated_at), delete on oauth_grants to stint_engine;

create table oauth_codes (
  organization_id uuid not null,
  digest          bytea not null,
  pepper          text not null,
  grant_id        uuid not null,
  client_id       text not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3),
  primary key (organization_id, digest),
  foreign key (organization_id, grant_id) references oauth_grants on delete cascade
);
create unique index oauth_codes_digest on oauth_codes (digest);
create index oauth_codes_grant on oauth_codes (organization_id, grant_id);
create index oauth_codes_end on oauth_codes (expires_at);
call protect_tenant_table('oauth_codes');
create policy lookup on oauth_codes for select to stint_lookup using (true);
create policy engine on oauth_codes to stint_engine using (true);
grant select, insert, update on oauth_codes to stint_app;
grant select (organization_id, digest) on oauth_codes to stint_lookup;
grant select, update (expires_at), delete on oauth_codes to stint_engine;

create table oauth_refresh_tokens (
  organization_id  uuid not null,
  digest           bytea not null,
  pepper           text not null,
  grant_id         uuid not null,
  issued_at        timestamptz(3) not null,
  expires_at       timestamptz(3) not null,
  used_at          timestamptz(3),
  successor_digest bytea,
  primary key (organization_id, digest),
  foreign key (organization_id, grant_id) references oauth_grants on delete cascade
);
create unique index oauth_refresh_tokens_digest on oauth_refresh_tokens (digest);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (organization_id, grant_id);
create index oauth_refresh_tokens_end on oauth_refresh_tokens (expires_at);
call protect_tenant_table('oauth_refresh_tokens');
create policy lookup on oauth_refresh_tokens for select to stint_lookup using (true);
create policy engine on oauth_refresh_tokens to stint_engine using (true);
grant select, insert, update on oauth_refresh_tokens to stint_app;
grant select (organization_id, digest) on oauth_refresh_tokens to stint_lookup;
grant select, update (expires_at), delete on oauth_refresh_tokens to stint_engine;

-- Signed assertions that were presented, until they expire by themselves (RFC 7523, jti).
create table oauth_assertions (
  client_id  text not null,
  jti_digest bytea not null,
  expires_at timestamptz(3) not null,
  primary key (client_id, jti_digest)
);
create index oauth_assertions_end on oauth_assertions (expires_at);
grant select, insert on oauth_assertions to stint_app;
grant select, update (expires_at), delete on oauth_assertions to stint_engine;

-- The engine removes what ended: OAuth access tokens as rows, of other tokens the digest only.
create policy engine_read on access_tokens for select to stint_engine using (true);
create policy engine_forget on access_tokens for update to stint_engine using (true);
create policy engine_delete on access_tokens for delete to stint_engine using (kind = 'oauth');
grant select (organization_id, id, kind, client_id, grant_id, digest, expires_at, revoked_at), update (digest), delete
  on access_tokens to stint_engine;

grant select (id, name, disabled_at) on users to stint_lookup;
grant select (organization_id, id, full_name, user_id, access, deleted_at) on people to stint_lookup;
create policy credential_lookup on people for select to stint_lookup using (true);

grant create on schema public to stint_lookup;

-- One statement answers whether a credential is good for a resource at this moment: token, grant, client, the verdict on
-- it, user, role and person. Planning these joins takes thirty times as long as running them, so the plan is kept: one
-- per connection, in the order written and by indexes, whatever the sizes of the tables were when it was made.
drop function resolve_access_token(bytea[]);
create function resolve_access_token(digests bytea[], wanted_resource text default 'rest')
returns table (
  id uuid, organization_id uuid, kind text, name text, scopes text[], sensitive_data text[], user_id uuid,
  person_id uuid, client_id text, grant_id uuid, expires_at timestamptz, is_sandbox boolean, role text,
  used_recently boolean, digest bytea
)
language plpgsql stable security definer rows 1
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set join_collapse_limit = 1 set enable_seqscan = off
as $$
begin
  return query
  select t.id, t.organization_id, t.kind, coalesce(u.name, t.name), t.scopes, t.sensitive_data, t.user_id, t.person_id,
         t.client_id, t.grant_id, case when t.kind = 'oauth' then g.ends_at else t.expires_at end::timestamptz,
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

-- The organization of a code, a refresh token or an access token of OAuth, by its exact digest.
create function oauth_secret_organization(secret_kind text, digests bytea[]) returns uuid
language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  return case secret_kind
    when 'code' then (select organization_id from oauth_codes where digest = any (digests) limit 1)
    when 'refresh' then (select organization_id from oauth_refresh_tokens where digest = any (digests) limit 1)
    when 'oauth' then (select organization_id from access_tokens where digest = any (digests) and kind = 'oauth' limit 1)
  end;
end
$$;
revoke all on function oauth_secret_organization(text, bytea[]) from public;
grant execute on function oauth_secret_organization(text, bytea[]) to stint_app;
alter function oauth_secret_organization(text, bytea[]) owner to stint_lookup;

revoke create on schema public from stint_lookup;
