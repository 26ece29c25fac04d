-- Whether the account behind a membership has a second factor, and the way back in for who lost it, as operations of the
-- organization that the transaction is of.
create view member_factors as
select m.organization_id, m.user_id,
       exists (select from totp_secrets t where t.user_id = m.user_id)
       or exists (select from passkeys p where p.user_id = m.user_id) as has_factor
from memberships m;
grant create on schema public to stint_operator, stint_lookup;
alter view member_factors owner to stint_operator;
grant select on member_factors to stint_app;

-- An account that opens another organization too is not weakened by this one: whoever invites somebody could else take the
-- second factor off what that person has elsewhere. As stint_lookup, which sees the memberships and workers of all.
create function reset_factors_of_member(member_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform from users where id = member_id for update;
  if not exists (select from memberships where organization_id = current_organization() and user_id = member_id)
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
revoke all on function reset_factors_of_member(uuid) from public;
grant execute on function reset_factors_of_member(uuid) to stint_app;
alter function reset_factors_of_member(uuid) owner to stint_lookup;
revoke create on schema public from stint_operator, stint_lookup;
