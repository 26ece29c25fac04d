-- The audit log in chained batches. Committed entries get their batch and their position in it afterwards, as events get
-- their numbers: a transaction that commits late is in a later batch, and no request waits for a number.
alter table audit_entries add column batch int, add column position int;
-- By id, which begins with the time: the oldest of all organizations come first.
create index audit_entries_unsealed on audit_entries (id) where batch is null;
create index audit_entries_batch on audit_entries (organization_id, batch, position) where batch is not null;

-- `hash` is over everything but itself and `entries_removed_at`, `previous_hash` among it; see docs/guides/audit-log.md.
create table audit_batches (
  organization_id    uuid not null,
  batch              int not null,
  format             int not null,
  previous_hash      bytea,
  sealed_at          timestamptz(3) not null,
  entries_total      bigint not null,
  entry_ids          uuid[] not null,
  entry_hashes       bytea[] not null,
  hash               bytea not null,
  -- Retention has removed the entries of this batch and all batches before it: the chain begins here.
  entries_removed_at timestamptz(3),
  primary key (organization_id, batch),
  check (batch > 0 and cardinality(entry_ids) = cardinality(entry_hashes))
);
-- Hashes and ids cannot be compressed.
alter table audit_batches alter column entry_ids set storage external, alter column entry_hashes set storage external;
-- For retention, which begins with the oldest.
create index audit_batches_kept on audit_batches (sealed_at, organization_id, batch) where entries_removed_at is null;
call protect_tenant_table('audit_batches');
grant select on audit_batches to stint_app;

-- Nobody adds an entry that says of itself that it is sealed.
create policy unsealed on audit_entries as restrictive for insert with check (batch is null and position is null);

-- The background seals what is not sealed, and removes what is over a year old, whatever the settings say; nothing else
-- of an entry or a batch ever changes.
drop policy engine on audit_entries;
create policy engine_adds on audit_entries for insert to stint_engine with check (true);
create policy engine_reads on audit_entries for select to stint_engine using (true);
create policy engine_seals on audit_entries for update to stint_engine using (batch is null) with check (batch is not null);
create policy engine_removes on audit_entries for delete to stint_engine
  using (batch is not null and occurred_at < app_now() - interval '365 days');
grant select, update (batch, position), delete on audit_entries to stint_engine;

create policy engine_adds on audit_batches for insert to stint_engine with check (true);
create policy engine_reads on audit_batches for select to stint_engine using (true);
create policy engine_marks on audit_batches for update to stint_engine
  using (entries_removed_at is null and sealed_at < app_now() - interval '365 days')
  with check (entries_removed_at is not null);
create policy engine_removes on audit_batches for delete to stint_engine
  using (sealed_at < app_now() - interval '365 days');
grant select, insert, update (entries_removed_at), delete on audit_batches to stint_engine;
