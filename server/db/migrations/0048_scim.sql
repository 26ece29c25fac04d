-- Columns that provisioning (SCIM) adds to people and teams: a user is a person, a group is a team, and there is no second table of
-- them. The name of a user is its own or the e-mail address, unique without regard to case; as for e-mail addresses the
-- lower case stands in a column, since under row-level security an index serves plain comparisons only.
alter table people
  add column user_name text,
  add column scim_external_id text,
  -- A manager who is not (yet) one of the people.
  add column manager_ref text,
  -- Made by a client, taken over by a client, hidden by a client's DELETE.
  add column scim_created boolean not null default false,
  add column scim_linked_at timestamptz(3),
  add column scim_removed_at timestamptz(3),
  -- Attributes whose present value came through SCIM: only those are cleared by a PUT that leaves them out.
  add column scim_written text[] not null default '{}',
  -- Attributes that have no column.
  add column scim_bag jsonb not null default '{}' check (pg_column_size(scim_bag) <= 65536),
  add column user_name_lower text generated always as (lower(coalesce(user_name, email))) stored,
  drop column full_name,
  -- A client may know one part of the name only.
  add column full_name text not null
    generated always as (btrim(coalesce(nullif(preferred_name, ''), first_name) || ' ' || last_name)) stored;
grant select (full_name) on people to stint_lookup;
create unique index people_user_name on people (organization_id, user_name_lower) where deleted_at is null;
create index people_scim_external_id on people (organization_id, scim_external_id) where scim_external_id is not null;
create index people_manager_ref on people (organization_id, manager_ref) where manager_ref is not null;

alter table teams add column scim_external_id text;
create index teams_scim_external_id on teams (organization_id, scim_external_id) where scim_external_id is not null;

-- A member whose access as a person was closed is none, at every request and every sign-in, also once that person is deleted.
-- Opening it again restores the membership, and nothing that ended.
alter policy lookup on memberships using (status = 'active' and not exists (
  select from people p
  where p.organization_id = memberships.organization_id and p.user_id = memberships.user_id
  having bool_or(p.access = 'disabled') and not bool_or(p.access <> 'disabled' and p.deleted_at is null)));
create index people_of_user on people (organization_id, user_id) where user_id is not null;
