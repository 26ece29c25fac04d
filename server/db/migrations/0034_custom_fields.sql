-- Definitions of custom fields. Values stand in custom_fields of people and contracts by the id of their definition, so
-- that a key that is used again after a removal finds nothing of the former one.
create table custom_fields (
  organization_id uuid not null references organizations,
  id              uuid not null,
  key             text not null,
  name            text not null,
  entity          text not null check (entity in ('person', 'contract')),
  type            text not null check (type in ('text', 'number', 'date', 'boolean', 'select', 'multi_select')),
  options         text[] not null,
  category        text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3),
  primary key (organization_id, id)
);
create unique index custom_fields_key on custom_fields (organization_id, entity, key) where deleted_at is null;
create index custom_fields_list on custom_fields (organization_id, created_at desc, id desc);
call protect_tenant_table('custom_fields');
grant select, insert, update on custom_fields to stint_app;
