-- The way back in for a member who lost the second factor, as an operation of the organization that the transaction is of.
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
grant create on schema public to stint_lookup;
alter function reset_factors_of_member(uuid) owner to stint_lookup;
revoke create on schema public from stint_lookup;
