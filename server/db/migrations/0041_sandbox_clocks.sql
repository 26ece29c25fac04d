-- The test clock of a sandbox organization. While `at` is null its business time is real time; once set, it stands until
-- somebody advances it. While `target` is set it is on its way there, `fired` timers so far, and nobody else changes the
-- organization. The row is what changes hold and an advance waits for, so every sandbox has one from its beginning.
create table sandbox_clocks (
  organization_id uuid primary key references organizations,
  at              timestamptz(3),
  started_at      timestamptz(3),
  target          timestamptz(3),
  fired           int not null default 0,
  -- The call that set the target, if it had an Idempotency-Key: its answer is kept when the clock has arrived.
  kept_as         jsonb,
  check ((target is null) = (started_at is null)),
  check (target is null or (at is not null and target >= at))
);
call protect_tenant_table('sandbox_clocks');
alter policy tenant on sandbox_clocks to stint_app, stint_operator;
create policy engine on sandbox_clocks for select to stint_engine using (true);
grant select, insert, update on sandbox_clocks to stint_app;
grant select, insert on sandbox_clocks to stint_operator;
grant select on sandbox_clocks to stint_engine;

alter table organizations no force row level security;
alter table sandbox_clocks no force row level security;
insert into sandbox_clocks (organization_id) select id from organizations where is_sandbox;
alter table organizations force row level security;
alter table sandbox_clocks force row level security;

-- Business rows are never deleted but by a reset of a sandbox, as stint_operator: what it may delete from is what a reset
-- empties. Of credentials only those go that act as a person of the sandbox.
do $$
declare
  name regclass;
begin
  for name in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like 'webhook\_%' and c.relname not like 'event%'
      and c.relname not in ('organizations', 'memberships', 'audit_entries', 'idempotent_answers', 'sandbox_clocks',
                            'oauth_client_verdicts')
  loop
    execute format('alter policy tenant on %s to stint_app, stint_operator', name);
    execute format('grant select, delete on %s to stint_operator', name);
  end loop;
end
$$;

-- What was booked goes with its sandbox, and in no other way.
do $$
begin
  if exists (select from pg_proc where proname = 'refuse_ledger_change') then
    create or replace function refuse_ledger_change() returns trigger language plpgsql as $refuse$
    begin
      if tg_op = 'DELETE' and current_user = 'stint_operator' then
        return old;
      end if;
      raise exception 'what was booked in the ledger neither changes nor goes'
        using errcode = 'restrict_violation', constraint = 'ledger_is_append_only';
    end
    $refuse$;
  end if;
end
$$;

-- One statement deletes from all tables, so that keys between them are looked at when every row has gone.
create function empty_sandbox() returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  own uuid := current_organization();
  of_people constant jsonb := '{
    "access_tokens": "person_id is not null",
    "oauth_grants": "person_id is not null",
    "oauth_codes": "grant_id in (select id from oauth_grants where organization_id = $1 and person_id is not null)",
    "oauth_refresh_tokens": "grant_id in (select id from oauth_grants where organization_id = $1 and person_id is not null)",
    "timers": "subject_id not in (select id from access_tokens where organization_id = $1)"}';
  deletions text;
begin
  if not exists (select from organizations where id = own and is_sandbox) then
    raise exception 'only a sandbox is ever emptied';
  end if;
  select string_agg(
           format('%I as (delete from %I where organization_id = $1 and %s)', 'of_' || c.relname, c.relname,
                  coalesce(of_people ->> c.relname, 'true')), ', ')
  into deletions
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_table_privilege(c.oid, 'delete');
  execute format('with %s select', deletions) using own;
end
$$;
revoke all on function empty_sandbox() from public;
grant execute on function empty_sandbox() to stint_app;
grant create on schema public to stint_operator;
alter function empty_sandbox() owner to stint_operator;
revoke create on schema public from stint_operator;
