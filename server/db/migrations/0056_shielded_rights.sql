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
