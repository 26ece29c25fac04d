-- The poll feed. A committed event gets its number afterwards, in the order in which numbers become visible, so that a
-- reader who has come to a number has seen everything below it, however long the transaction of an event took.
alter table events add column feed_seq bigint;
create index events_feed on events (organization_id, feed_seq) where feed_seq is not null;
create index events_feed_types on events (organization_id, event_type, feed_seq) where feed_seq is not null;
create index events_unnumbered on events (event_id) where feed_seq is null and not is_simulation;

-- One row: the highest number given so far. It is read in the snapshot of a page, so that an empty page advances too.
create table event_feed_head (
  is_only  boolean primary key default true check (is_only),
  feed_seq bigint not null
);
insert into event_feed_head (feed_seq) values (0);

-- One row: the highest number that retention has removed. A cursor below it has missed something.
create table event_feed_floor (
  is_only  boolean primary key default true check (is_only),
  feed_seq bigint not null
);
insert into event_feed_floor (feed_seq) values (0);

grant select on event_feed_head, event_feed_floor to stint_app, stint_engine;
grant update on event_feed_head, event_feed_floor to stint_engine;

-- For retention, in the transaction that drops this partition of events and before it does.
create procedure raise_event_feed_floor(partition regclass) language plpgsql as $$
begin
  execute format('update event_feed_floor set feed_seq = greatest(feed_seq, coalesce((select max(feed_seq) from %s), 0))',
                 partition);
end
$$;

-- What a subscription was at each moment: tells afterwards why an event went to it or not.
create table webhook_subscription_revisions (
  organization_id uuid not null,
  subscription_id uuid not null,
  revision        int not null,
  valid_from      timestamptz(3) not null,
  status          text not null check (status in ('active', 'disabled', 'deleted')),
  events          text[] not null,
  payload         text not null check (payload in ('full', 'thin')),
  sensitive_data  text[] not null,
  changed_by      jsonb not null,
  primary key (organization_id, subscription_id, revision),
  foreign key (organization_id, subscription_id) references webhook_subscriptions
);
call protect_tenant_table('webhook_subscription_revisions');
create policy engine on webhook_subscription_revisions to stint_engine using (true);
grant select, insert on webhook_subscription_revisions to stint_app, stint_engine;

-- Earlier changes of subscriptions that exist already are unknown: they count as always having been what they are now.
insert into webhook_subscription_revisions (organization_id, subscription_id, revision, valid_from, status, events,
  payload, sensitive_data, changed_by)
select organization_id, id, revision, created_at, status, events, payload, sensitive_data, created_by
from webhook_subscriptions;
