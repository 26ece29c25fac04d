-- Whoever removes a person ends the sessions of the account behind it. Sessions belong to no organization and to the role
-- that no operation runs as, so this is all that an operation may do with them.
create function end_sessions_of_person(person_id uuid) returns void
language sql security definer set search_path = public, pg_temp
as $$
  delete from sessions where user_id = (
    select user_id from people
    where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid and id = person_id)
$$;
revoke all on function end_sessions_of_person(uuid) from public;
grant execute on function end_sessions_of_person(uuid) to stint_app;
grant create on schema public to stint_lookup;
alter function end_sessions_of_person(uuid) owner to stint_lookup;
revoke create on schema public from stint_lookup;
