-- A rotation changes a key that exists already (its end), which `updated_after` tells.
alter table webhook_signing_keys add column updated_at timestamptz(3) not null default app_now();

-- What the engine looks for every few seconds: values whose end has come and that are to be destroyed.
create index webhook_signing_keys_ending on webhook_signing_keys (retires_at)
  where sealed is not null and retires_at is not null;
