-- Sign-in of people: sessions, one-time set-up links and the count of failed attempts. None of it belongs to one
-- organization, so none is a tenant table; only stint_lookup, the role that no operation runs as, reads and writes it.
create index memberships_user on memberships (user_id);

create table sessions (
  id               uuid primary key,
  digest           bytea not null unique,
  user_id          uuid not null references users,
  created_at       timestamptz(3) not null,
  authenticated_at timestamptz(3) not null,
  last_seen_at     timestamptz(3) not null,
  expires_at       timestamptz(3) not null,
  address          text
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- Without a user: for the first owner, valid while there is no account at all. With one: to choose a password.
create table set_up_links (
  digest     bytea primary key,
  user_id    uuid references users,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3)
);
create index set_up_links_user on set_up_links (user_id);

-- By digest of an account or an address, so that a mistyped password in the e-mail field is kept nowhere.
create table sign_in_failures (
  key_digest    bytea primary key,
  failures      int not null,
  blocked_until timestamptz(3) not null,
  forget_at     timestamptz(3) not null
);
create index sign_in_failures_forget on sign_in_failures (forget_at);

grant select, update (password_hash, updated_at) on users to stint_lookup;
grant select, insert, update, delete on sessions, set_up_links, sign_in_failures to stint_lookup;

-- Who a session belongs to and where that person may act, in one statement, asked at every request.
create function resolve_session(session_digest bytea)
returns table (
  session_id uuid, user_id uuid, email text, name text, authenticated_at timestamptz, expires_at timestamptz,
  seen_recently boolean, memberships jsonb, workers jsonb
)
language sql stable security definer set search_path = public, pg_temp rows 1
as $$
  select s.id, u.id, u.email, u.name, s.authenticated_at, s.expires_at,
         s.last_seen_at > app_now() - interval '1 minute',
         coalesce((
           select jsonb_agg(jsonb_build_object('organization_id', o.id, 'organization_name', o.name,
                                               'is_sandbox', o.is_sandbox, 'role', m.role) order by o.name, o.id)
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
