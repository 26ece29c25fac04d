-- What a receiver can take, beside the counters of its lane: how many initial attempts may run at once (null: as many as
-- the cap of the settings), when that was last halved, successes in a row since, and how long its attempts take.
alter table webhook_lanes
  add column limit_now       int check (limit_now > 0),
  add column limit_halved_at timestamptz(3),
  add column success_run     int not null default 0,
  add column mean_ms         real;
