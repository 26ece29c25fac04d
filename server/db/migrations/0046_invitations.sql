-- Links by which somebody gets a login: one row for each, found by the digest of its secret, so that each opens once and the
-- page behind it can say why it is over. `kind` says what the login is for and `subject_id` names it: of a worker, the contract.
create table invitations (
  organization_id uuid not null references organizations,
  digest          bytea not null,
  kind            text not null check (kind in ('worker', 'member')),
  subject_id      uuid not null,
  email           text not null,
  expires_at      timestamptz(3) not null,
  -- Null while it can be used; until then `expires_at` alone says whether its time is over.
  outcome         text check (outcome in ('used', 'replaced', 'revoked', 'expired', 'over')),
  user_id         uuid references users,
  primary key (organization_id, digest),
  check (user_id is null or outcome = 'used')
);
create unique index invitations_digest on invitations (digest);
create unique index invitations_open on invitations (organization_id, kind, subject_id) where outcome is null;
call protect_tenant_table('invitations');
-- A reset of a sandbox ends those of its workers; members stay, and whoever was invited to be one.
create policy emptied on invitations to stint_operator
  using (organization_id = current_organization() and kind = 'worker');
create policy lookup on invitations for select to stint_lookup using (true);
grant select, insert, update (outcome, user_id) on invitations to stint_app;
grant select, delete on invitations to stint_operator;
grant select on invitations to stint_lookup;

alter table contracts no force row level security;
alter table invitations no force row level security;
insert into invitations (organization_id, digest, kind, subject_id, email, expires_at)
select organization_id, invitation_digest, 'worker', id, invitation ->> 'email', (invitation ->> 'expires_at')::timestamptz
from contracts where invitation_digest is not null and invitation is not null;
alter table contracts force row level security;
alter table invitations force row level security;
alter table contracts drop column invitation_digest;

-- The login of an invitation that this transaction has used: with the address it went to, whatever was asked for, and only
-- where nobody has a login by it. Accounts belong to no organization, so this is all that an operation may do with them.
create function make_invited_login(used_digest bytea, login_id uuid, login_name text, login_password_hash text)
returns uuid
language sql security definer set search_path = public, pg_temp
as $$
  insert into users (id, email, name, password_hash, created_at, updated_at)
  select login_id, i.email, login_name, login_password_hash, app_now(), app_now()
  from invitations i
  where i.organization_id = current_organization() and i.digest = used_digest
    and i.outcome = 'used' and i.user_id is null
  on conflict do nothing
  returning id
$$;
revoke all on function make_invited_login(bytea, uuid, text, text) from public;
grant execute on function make_invited_login(bytea, uuid, text, text) to stint_app;
grant insert (id, email, name, password_hash, created_at, updated_at) on users to stint_lookup;
grant create on schema public to stint_lookup;
alter function make_invited_login(bytea, uuid, text, text) owner to stint_lookup;
revoke create on schema public from stint_lookup;
