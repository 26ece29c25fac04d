-- Members are invited, changed, disabled and removed by operations.
alter table memberships
  add column id uuid generated always as (user_id) stored,
  add column status text not null default 'active' check (status in ('active', 'disabled')),
  add column updated_at timestamptz(3) not null default app_now();
grant insert (organization_id, user_id, role, created_at, updated_at), update (role, status, updated_at), delete
  on memberships to stint_app;
create index memberships_list on memberships (organization_id, created_at desc, id desc);

-- Rights are found out as stint_lookup: to it a disabled membership is none.
alter policy lookup on memberships using (status = 'active');

-- The account behind a membership, as far as the other members see it. The policy of stint_operator keeps to the organization.
create view member_accounts as
select m.organization_id, m.user_id, u.name, u.email,
       exists (select from totp_secrets t where t.user_id = u.id)
         or exists (select from passkeys p where p.user_id = u.id) as has_second_factor
from memberships m join users u on u.id = m.user_id;
grant create on schema public to stint_operator;
alter view member_accounts owner to stint_operator;
grant select on member_accounts to stint_app;

-- Ends the sessions of a member's account, as an operation: of the organization that the transaction is of.
create function end_sessions_of_member(member_id uuid) returns void
language sql security definer set search_path = public, pg_temp
as $$
  delete from sessions s using memberships m
  where m.organization_id = current_organization() and m.user_id = member_id and s.user_id = m.user_id
$$;
revoke all on function end_sessions_of_member(uuid) from public;
grant execute on function end_sessions_of_member(uuid) to stint_app;
alter function end_sessions_of_member(uuid) owner to stint_operator;
revoke create on schema public from stint_operator;

create table member_invitations (
  organization_id uuid not null references organizations,
  id              uuid not null,
  email           text not null,
  email_lower     text not null generated always as (lower(email)) stored,
  role            text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  invited_by      jsonb not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  sent_at         timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  accepted_at     timestamptz(3),
  revoked_at      timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('member_invitations');
grant select, insert, update on member_invitations to stint_app;
create unique index member_invitations_email on member_invitations (organization_id, email_lower)
  where accepted_at is null and revoked_at is null;
create index member_invitations_list on member_invitations (organization_id, created_at desc, id desc);
