-- Requests as they were answered, for the organization whose credential they carried. Partitioned by id (UUIDv7, so by time)
-- as events are: what is older than 30 days goes with its week. Rows are written by batches behind the answer, from any
-- number of organizations at once, hence by the engine's role; nothing changes them.
create table request_logs (
  organization_id    uuid not null,
  id                 uuid not null,
  occurred_at        timestamptz(3) not null,
  request_id         text not null,
  surface            text not null check (surface in ('rest', 'mcp', 'scim')),
  operation          text not null,
  method             text not null,
  path               text not null,
  query              text,
  status             smallint not null,
  error_code         text,
  missing_scopes     text[] not null,
  duration_ms        int not null,
  credential_id      uuid not null,
  client_id          text,
  actor              jsonb not null,
  address            text,
  scopes             text[] not null,
  request_headers    jsonb not null,
  request_body       text,
  request_body_state text not null check (request_body_state in ('none', 'kept', 'too_large', 'not_kept')),
  response_body      text,
  primary key (organization_id, id)
) partition by range (id);
create table request_logs_default partition of request_logs default;

-- Numbers of requests by their end, exact also where not every request is kept by itself.
create table request_counts (
  organization_id uuid not null,
  hour            timestamptz(3) not null,
  operation       text not null,
  status          smallint not null,
  error_code      text not null,
  requests        bigint not null,
  latest_at       timestamptz(3) not null,
  primary key (organization_id, hour, operation, status, error_code)
);
create index request_counts_age on request_counts (hour);

do $$
declare
  name regclass;
begin
  foreach name in array array['request_logs', 'request_counts']::regclass[] loop
    call protect_tenant_table(name);
    execute format('create policy engine on %s to stint_engine using (true)', name);
    execute format('grant select on %s to stint_app', name);
  end loop;
end
$$;
grant select, insert on request_logs to stint_engine;
grant select, insert, update, delete on request_counts to stint_engine;
call protect_event_partition('request_logs_default');
-- Rows of weeks without a partition of their own are removed one by one.
grant delete on request_logs_default to stint_engine;

create function add_request_log_week(moment timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  week timestamptz := date_trunc('week', moment, 'UTC');
  name text := 'request_logs_' || to_char(week at time zone 'UTC', 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('request_log_weeks'));
  if to_regclass(name) is not null then
    return false;
  end if;
  execute format('create table %I partition of request_logs for values from (%L) to (%L)',
                 name, first_id_at(week), first_id_at(week + interval '7 days'));
  call protect_event_partition(name::regclass);
  return true;
end
$$;

-- Drops the weeks that ended so many days ago; answers how many.
create function drop_request_log_weeks(days int) returns int
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  name text;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('request_log_weeks'));
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'request_logs'::regclass and c.relname ~ '_[0-9]{8}$'
      and (right(c.relname, 8)::date + 7)::timestamp at time zone 'UTC' <= app_now() - days * interval '1 day'
  loop
    execute format('drop table %I', name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;
revoke all on function add_request_log_week(timestamptz), drop_request_log_weeks(int) from public;
grant execute on function add_request_log_week(timestamptz), drop_request_log_weeks(int) to stint_engine;
select add_request_log_week(now() + weeks * interval '7 days') from generate_series(0, 1) weeks;
