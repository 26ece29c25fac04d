-- Whether the one for whom a client acts may still act: neither disabled nor removed. Else a client would refresh for ever
-- tokens that open nothing. Asked where tokens are issued; what they open is decided anew at every request.
create function grant_holder_is_live(holder_organization_id uuid, holder_user_id uuid, holder_person_id uuid)
returns boolean
language plpgsql stable security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  if holder_user_id is not null and not exists (
    select from users where id = holder_user_id and disabled_at is null) then
    return false;
  end if;
  if holder_person_id is not null then
    return exists (
      select from people
      where organization_id = holder_organization_id and id = holder_person_id
        and deleted_at is null and access <> 'disabled');
  end if;
  return holder_user_id is null or exists (
    select from memberships where organization_id = holder_organization_id and user_id = holder_user_id);
end
$$;
revoke all on function grant_holder_is_live(uuid, uuid, uuid) from public;
grant execute on function grant_holder_is_live(uuid, uuid, uuid) to stint_app;
grant create on schema public to stint_lookup;
alter function grant_holder_is_live(uuid, uuid, uuid) owner to stint_lookup;
revoke create on schema public from stint_lookup;
