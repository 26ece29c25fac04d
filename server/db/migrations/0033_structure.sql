-- Departments, working locations and legal entities get what their operations need.

-- Equal nulls make names at the top level as unique as those below one department.
create unique index departments_name on departments (organization_id, parent_id, name)
  nulls not distinct where deleted_at is null;
create unique index departments_external_id on departments (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create index departments_list on departments (organization_id, created_at desc, id desc);

create unique index working_locations_name on working_locations (organization_id, name) where deleted_at is null;
create unique index working_locations_external_id on working_locations (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create index working_locations_list on working_locations (organization_id, created_at desc, id desc);

alter table legal_entities add column bank_account jsonb;

-- The audit log is read by its time, by who did it and by what it was done to.
alter table audit_entries add column actor_id uuid generated always as ((actor ->> 'id')::uuid) stored;
create index audit_entries_actor on audit_entries (organization_id, actor_id, occurred_at desc) where actor_id is not null;
create index audit_entries_list on audit_entries (organization_id, occurred_at desc, id desc);
create index audit_entries_subject on audit_entries (organization_id, subject_id, occurred_at desc);
