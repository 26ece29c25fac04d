-- Second factors of accounts. As sessions they belong to no organization: stint_lookup and stint_operator alone reach them.

-- `second_factor`: the sign-in was proved by two factors, or by a passkey, which asks for a PIN or a finger itself.
alter table sessions
  add column second_factor boolean not null default false,
  add column user_agent text;

-- A confirmed authenticator app; each step of 30 seconds counts once, so only later ones are taken.
create table totp_secrets (
  user_id       uuid primary key references users,
  sealed_secret bytea not null,
  last_step     bigint not null,
  created_at    timestamptz(3) not null
);

-- Recovery codes rest as HMACs under a key of their account, which is sealed: a change of sealing keys leaves them good.
create table recovery_keys (
  user_id    uuid primary key references users,
  sealed_key bytea not null,
  created_at timestamptz(3) not null
);
create table recovery_codes (
  user_id uuid not null references recovery_keys on delete cascade,
  digest  bytea not null,
  used_at timestamptz(3),
  primary key (user_id, digest)
);

create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  credential_id text not null unique,
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_synced     boolean not null,
  name          text not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3)
);
create index passkeys_user on passkeys (user_id);

-- Challenges travel sealed to the browser and rest nowhere; each that was answered is kept here until it is over anyway.
create table used_challenges (
  digest    bytea primary key,
  forget_at timestamptz(3) not null
);
create index used_challenges_forget on used_challenges (forget_at);

alter table set_up_links add column resets_factors boolean not null default false;

grant select, insert, update, delete on totp_secrets, recovery_keys, recovery_codes, passkeys
  to stint_lookup, stint_operator;
grant select, insert, update, delete on used_challenges to stint_lookup;

-- Changes of an account are told in each organization that its person is in, by whoever has chosen no organization yet.
create policy account on audit_entries for insert to stint_lookup with check (true);
grant insert on audit_entries to stint_lookup;

drop function resolve_session(bytea);
create function resolve_session(session_digest bytea)
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
           from memberships m join organizations o on o.id = m.organization_id
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
revoke all on function resolve_session(bytea) from public;
grant create on schema public to stint_lookup;
alter function resolve_session(bytea) owner to stint_lookup;
revoke create on schema public from stint_lookup;
do $$
begin
  if exists (select from pg_roles where rolname = 'stint_service') then
    grant execute on function resolve_session(bytea) to stint_service;
  end if;
end
$$;
