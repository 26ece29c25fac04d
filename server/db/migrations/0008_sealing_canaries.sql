-- One value sealed under each key of the secrets file that was ever used: what proves, without a search through the
-- tables, that this process can open what is stored. It belongs to no organization.
create table sealing_canaries (
  key_id     text primary key,
  sealed     bytea not null,
  created_at timestamptz(3) not null default app_now()
);
grant select on sealing_canaries to stint_app;
