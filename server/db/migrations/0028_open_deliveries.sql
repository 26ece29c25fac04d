-- Deliveries that have not ended stand in a small table of their own: what the engine claims and changes lies in one heap
-- with a few small indexes, whatever the history holds. A delivery goes into `webhook_deliveries` once, when it ends.
-- `trace_id` is that of its event, which every attempt sends.
create table webhook_open_deliveries (
  organization_id    uuid not null,
  event_id           uuid not null,
  id                 uuid not null,
  subscription_id    uuid not null,
  event_type         text not null,
  is_simulation      boolean not null,
  rendering          text not null,
  trace_id           text,
  origin             text not null check (origin in ('event', 'simulation', 'redelivery', 'replay')),
  source_delivery_id uuid,
  replay_id          uuid,
  status             text not null check (status in ('pending', 'sending', 'held')),
  hold_reason        text check (hold_reason in ('disabled', 'internal')),
  schedule_id        smallint not null,
  series             int not null default 1,
  attempt_no         int not null default 0,
  next_attempt_at    timestamptz(3),
  lease_token        uuid,
  lease_owner        text,
  lease_expires_at   timestamptz(3),
  faults             int not null default 0,
  last_status        int,
  last_error_class   text,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  first_attempt_at   timestamptz(3),
  primary key (organization_id, event_id, id)
);
call protect_tenant_table('webhook_open_deliveries');
create policy engine on webhook_open_deliveries to stint_engine using (true);
grant select, insert, update, delete on webhook_open_deliveries to stint_app, stint_engine;

-- The owner of the tables changes rows of all organizations only while row-level security is not forced on them.
alter table webhook_deliveries no force row level security;
alter table webhook_open_deliveries no force row level security;
alter table events no force row level security;
with open as (
  delete from webhook_deliveries where status in ('pending', 'sending', 'held') returning *
)
insert into webhook_open_deliveries
select d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.is_simulation, d.rendering, e.trace_id,
  d.origin, d.source_delivery_id, d.replay_id, d.status, d.hold_reason, d.schedule_id, d.series, d.attempt_no,
  d.next_attempt_at, d.lease_token, d.lease_owner, d.lease_expires_at, d.faults, d.last_status, d.last_error_class,
  d.created_at, d.updated_at, d.first_attempt_at
from open d left join events e on e.organization_id = d.organization_id and e.event_id = d.event_id;
alter table events force row level security;
alter table webhook_open_deliveries force row level security;
alter table webhook_deliveries force row level security;

create unique index webhook_open_deliveries_once on webhook_open_deliveries (organization_id, event_id, subscription_id)
  where origin = 'event';
create unique index webhook_open_deliveries_replayed on webhook_open_deliveries
  (organization_id, replay_id, event_id, subscription_id) where origin = 'replay';
create index webhook_open_deliveries_due on webhook_open_deliveries (subscription_id, attempt_no, next_attempt_at, id)
  where status = 'pending';
create index webhook_open_deliveries_leased on webhook_open_deliveries (subscription_id, lease_expires_at)
  where status = 'sending';
create index webhook_open_deliveries_held on webhook_open_deliveries (subscription_id, id) where status = 'held';
create index webhook_open_deliveries_aging on webhook_open_deliveries (event_id) where status = 'held';
create index webhook_open_deliveries_list on webhook_open_deliveries (subscription_id, id desc);

-- The history has no column of open deliveries only, and no index that finds only those. One delivery per match is held where deliveries are made.
drop index webhook_deliveries_once, webhook_deliveries_replayed, webhook_deliveries_due, webhook_deliveries_leased,
  webhook_deliveries_held, webhook_deliveries_replaying;
alter table webhook_deliveries
  drop column hold_reason, drop column next_attempt_at, drop column lease_token, drop column lease_owner,
  drop column lease_expires_at, drop column faults,
  drop constraint webhook_deliveries_status_check,
  add constraint webhook_deliveries_status_check check (status in
    ('succeeded', 'failed', 'discarded', 'cancelled', 'expired')),
  alter column series drop default, alter column attempt_no drop default;

-- Requests write the history and never change it; the engine notes what was recovered.
revoke update on webhook_deliveries, webhook_attempts from stint_app;

-- Every delivery, for those who read: row-level security is that of the reader.
create view all_webhook_deliveries with (security_invoker = true) as
select organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering, origin, source_delivery_id,
  replay_id, status, hold_reason, schedule_id, series, attempt_no, next_attempt_at, last_status, last_error_class,
  created_at, updated_at, first_attempt_at, null::timestamptz(3) as completed_at, null::timestamptz(3) as recovered_at
from webhook_open_deliveries
union all
select organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering, origin, source_delivery_id,
  replay_id, status, null, schedule_id, series, attempt_no, null, last_status, last_error_class,
  created_at, updated_at, first_attempt_at, completed_at, recovered_at
from webhook_deliveries;
grant select on all_webhook_deliveries to stint_app, stint_engine;

-- Each index costs every event: attempts are found by their event, and identifiers by themselves.
drop index webhook_attempts_delivery;
alter table event_resources drop constraint event_resources_pkey;
drop index event_resources_events;
alter table event_resources add primary key (organization_id, resource_id, event_id);
