-- The role that reads every row, for backups alone. The login of the service, `stint_service`, cannot take it: whoever makes
-- a backup connects as the owner of the tables, or as a login that was given this role and nothing else. The owner itself
-- sees no row, since row-level security is forced on it.
do $$
begin
  begin
    create role stint_backup nologin;
  exception when duplicate_object or unique_violation or insufficient_privilege then
    -- Made before, by another owner on this server or by its administrator.
    null;
  end;
  begin
    execute format('grant stint_backup to %I', current_user);
  exception when insufficient_privilege or undefined_object then
    if not exists (select from pg_roles where rolname = 'stint_backup')
       or not pg_has_role(current_user, 'stint_backup', 'member') then
      raise exception 'an administrator has to make the role stint_backup and grant it to %', current_user
        using hint = format('create role stint_backup nologin; grant stint_backup to %I', current_user);
    end if;
  end;
end
$$;
grant usage on schema public to stint_backup;

-- Partitions are read through their tables. A table that is made later calls this, or `protect_tenant_table`.
create procedure include_in_backups(name regclass) language plpgsql as $$
begin
  execute format('grant select on %s to stint_backup', name);
  if (select relrowsecurity from pg_class where oid = name) then
    execute format('create policy backup on %s for select to stint_backup using (true)', name);
  end if;
end
$$;

create or replace procedure protect_tenant_table(name regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy tenant on %s to stint_app using (organization_id = current_organization())', name);
  call include_in_backups(name);
end
$$;

do $$
declare
  name regclass;
begin
  for name in select oid from pg_class
              where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition loop
    call include_in_backups(name);
  end loop;
  for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' loop
    execute format('grant select on sequence %s to stint_backup', name);
  end loop;
end
$$;
