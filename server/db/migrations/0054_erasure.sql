-- When the personal data of a person were erased. The row stays for what names it: contracts, invoices, the ledger.
alter table people add column erased_at timestamptz(3);

-- The address that an invitation went to goes with the person.
grant update (email) on invitations to stint_app;

-- The account that an erased person leaves goes too, unless something names it still: a membership, a person of another
-- organization. The foreign keys tell, which see the rows of every organization. As a trigger, so that no operation can ask for it.
create function drop_account_of_erased_person() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  delete from sessions where user_id = old.user_id;
  delete from set_up_links where user_id = old.user_id;
  delete from totp_secrets where user_id = old.user_id;
  delete from recovery_keys where user_id = old.user_id;
  delete from passkeys where user_id = old.user_id;
  delete from users where id = old.user_id;
  return null;
exception when foreign_key_violation then
  return null;
end
$$;
revoke all on function drop_account_of_erased_person() from public;
grant delete on users to stint_lookup;
grant create on schema public to stint_lookup;
alter function drop_account_of_erased_person() owner to stint_lookup;
revoke create on schema public from stint_lookup;
create trigger people_erased after update of erased_at on people
  for each row when (old.erased_at is null and new.erased_at is not null and old.user_id is not null and new.user_id is null)
  execute function drop_account_of_erased_person();
