-- Replays: a job sends past events of a time span to their subscription once more. `position` is the id of the last
-- delivery it has read, advanced in the transaction that inserts what follows from it. `is_settled`: nothing is left to
-- do; a cancelled job is not while one of its deliveries is being sent.
create table webhook_replays (
  organization_id uuid not null,
  id              uuid not null,
  subscription_id uuid not null,
  since           timestamptz(3) not null,
  until           timestamptz(3) not null check (until > since),
  statuses        text[] not null,
  state           text not null check (state in ('queued', 'running', 'paused', 'completed', 'cancelled')),
  is_settled      boolean not null default false,
  position        uuid,
  matched         int not null default 0,
  created         int not null default 0,
  skipped         int not null default 0,
  inserted_at     timestamptz(3),
  requested_by    jsonb not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  finished_at     timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, subscription_id) references webhook_subscriptions
);
create unique index webhook_replays_open on webhook_replays (organization_id, subscription_id)
  where state in ('queued', 'running', 'paused');
create index webhook_replays_list on webhook_replays (organization_id, subscription_id, created_at desc, id desc);
create index webhook_replays_unsettled on webhook_replays (subscription_id) where not is_settled;
call protect_tenant_table('webhook_replays');
create policy engine on webhook_replays to stint_engine using (true);
grant select, insert, update on webhook_replays to stint_app, stint_engine;

-- A batch that is repeated writes nothing twice.
create unique index webhook_deliveries_replayed on webhook_deliveries
  (organization_id, event_id, replay_id, subscription_id) where origin = 'replay';
-- What a replay has inserted and is not sent: counted before each batch, cancelled with the job.
create index webhook_deliveries_replaying on webhook_deliveries (replay_id)
  where origin = 'replay' and status in ('pending', 'sending', 'held');
