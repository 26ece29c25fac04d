-- Structure: what people and contracts refer to.

create table legal_entities (
  organization_id     uuid not null references organizations,
  id                  uuid not null,
  name                text not null,
  country             text,
  kind                text not null check (kind in ('company', 'individual')),
  registration_number text,
  vat_id              text,
  address             jsonb,
  is_default          boolean not null,
  external_id         text,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  deleted_at          timestamptz(3),
  primary key (organization_id, id),
  check (not is_default or deleted_at is null)
);
create unique index legal_entities_default on legal_entities (organization_id) where is_default;
create unique index legal_entities_external_id on legal_entities (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create index legal_entities_list on legal_entities (organization_id, created_at desc, id desc);

-- Organizations made before this migration get theirs now. The owner of the tables reads over all organizations only
-- while row-level security is not forced on it.
alter table organizations no force row level security;
insert into legal_entities (organization_id, id, name, country, kind, is_default, created_at, updated_at)
select id, (left(first_id_at(app_now())::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
       name, country, 'company', true, app_now(), app_now()
from organizations;
alter table organizations force row level security;

-- Exactly one default: the unique index allows at most one, this demands at least one at the end of the transaction.
create function require_default_legal_entity() returns trigger language plpgsql as $$
declare
  organization uuid := case when tg_table_name = 'organizations' then new.id else old.organization_id end;
begin
  if exists (select from organizations where id = organization)
     and not exists (select from legal_entities where organization_id = organization and is_default) then
    raise exception 'an organization needs a default legal entity'
      using errcode = 'check_violation', constraint = 'organizations_default_legal_entity';
  end if;
  return null;
end
$$;
create constraint trigger organizations_default_legal_entity after insert on organizations
  deferrable initially deferred for each row execute function require_default_legal_entity();
create constraint trigger organizations_default_legal_entity after update or delete on legal_entities
  deferrable initially deferred for each row when (old.is_default) execute function require_default_legal_entity();

create table departments (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  parent_id       uuid,
  external_id     text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, parent_id) references departments
);

create table working_locations (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  country         text not null,
  address         jsonb,
  external_id     text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3),
  primary key (organization_id, id)
);

create table teams (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  external_id     text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3),
  primary key (organization_id, id)
);
create unique index teams_name on teams (organization_id, name) where deleted_at is null;
create unique index teams_external_id on teams (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create index teams_list on teams (organization_id, created_at desc, id desc);

-- Indexed columns below are compared as they stand: under row-level security an index condition must be leakproof, and
-- lower(email) is not, hence the generated email_lower.
create table people (
  organization_id     uuid not null references organizations,
  id                  uuid not null,
  first_name          text not null,
  last_name           text not null,
  preferred_name      text,
  full_name           text not null
    generated always as (coalesce(nullif(preferred_name, ''), first_name) || ' ' || last_name) stored,
  email               text,
  email_lower         text generated always as (lower(email)) stored,
  personal_email      text,
  phone               text,
  locale              text not null,
  external_id         text,
  user_id             uuid references users,
  country             text,
  region              text,
  timezone            text,
  home_address        jsonb,
  emergency_contact   jsonb,
  date_of_birth       date,
  nationality         text,
  government_ids      jsonb not null default '[]',
  vat_id              text,
  bank_account        jsonb,
  worker_type         text not null check (worker_type in ('contractor', 'employee')),
  job_title           text,
  seniority           text,
  start_date          date,
  department_id       uuid,
  manager_id          uuid,
  working_location_id uuid,
  legal_entity_id     uuid,
  custom_fields       jsonb not null default '{}',
  status              text not null check (status in ('pending', 'active', 'offboarding', 'inactive')),
  access              text not null default 'none' check (access in ('none', 'enabled', 'disabled')),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  deleted_at          timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, department_id) references departments,
  foreign key (organization_id, manager_id) references people,
  foreign key (organization_id, working_location_id) references working_locations,
  foreign key (organization_id, legal_entity_id) references legal_entities
);
create unique index people_email on people (organization_id, email_lower) where deleted_at is null;
create unique index people_external_id on people (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create unique index people_user on people (organization_id, user_id) where user_id is not null and deleted_at is null;
create index people_list on people (organization_id, created_at desc, id desc);
create index people_updated on people (organization_id, updated_at, id);
create index people_by_email on people (organization_id, email_lower, id);
create index people_by_status on people (organization_id, status, created_at desc, id desc);
create index people_by_worker_type on people (organization_id, worker_type, created_at desc, id desc);
create index people_by_country on people (organization_id, country, created_at desc, id desc);
create index people_by_department on people (organization_id, department_id, created_at desc, id desc)
  where department_id is not null;
create index people_by_manager on people (organization_id, manager_id, created_at desc, id desc)
  where manager_id is not null;
create index people_by_working_location on people (organization_id, working_location_id, created_at desc, id desc)
  where working_location_id is not null;
create index people_by_legal_entity on people (organization_id, legal_entity_id, created_at desc, id desc)
  where legal_entity_id is not null;

create table team_members (
  organization_id uuid not null,
  team_id         uuid not null,
  person_id       uuid not null,
  created_at      timestamptz(3) not null,
  primary key (organization_id, team_id, person_id),
  foreign key (organization_id, team_id) references teams,
  foreign key (organization_id, person_id) references people
);
create index team_members_person on team_members (organization_id, person_id, team_id);

-- The words by which people and contracts are found, without case and accents. A prefix is a range of this index.
create table search_words (
  organization_id uuid not null,
  kind            text not null,
  word            text collate "C" not null,
  subject_id      uuid not null,
  primary key (organization_id, kind, word, subject_id)
);
create index search_words_subject on search_words (organization_id, kind, subject_id);

create table contracts (
  organization_id    uuid not null references organizations,
  id                 uuid not null,
  type               text not null check (type in ('fixed_rate', 'pay_as_you_go', 'milestone', 'employee')),
  title              text not null,
  status             text not null
    check (status in ('pending', 'active', 'completed', 'terminated', 'cancelled', 'rejected')),
  status_reason      text,
  external_id        text,
  custom_fields      jsonb not null default '{}',
  archived_at        timestamptz(3),
  ended_at           timestamptz(3),
  created_by         jsonb not null,
  worker_id          uuid not null,
  legal_entity_id    uuid not null,
  team_id            uuid,
  country            text not null,
  region             text,
  timezone           text not null,
  -- The terms in force; contract_terms holds every version since the contract became active.
  start_date         date not null,
  end_date           date check (end_date >= start_date),
  job_title          text,
  seniority          text,
  scope_of_work      text,
  special_clause     text,
  notice_period_days int not null,
  amount             numeric check (amount > 0),
  currency           text not null,
  scale              text,
  frequency          text,
  cycle_end_type     text,
  cycle_end          smallint,
  first_cycle_end    date,
  payment_due_days   smallint not null,
  pay_before_weekends boolean not null,
  proration          text not null,
  vat_rate           numeric check (vat_rate between 0 and 100),
  reverse_charge     boolean not null,
  client_name        text,
  client_signed_at   timestamptz(3),
  client_signed_by   jsonb,
  worker_sign_name   text,
  worker_signed_at   timestamptz(3),
  invitation         jsonb,
  invitation_message text,
  -- The token of the link: sealed for the client who reads the link, digested for the worker who comes with it.
  invitation_sealed  bytea,
  invitation_digest  bytea,
  termination        jsonb,
  completion_date    date,
  last_day           date generated always as (least(end_date, completion_date)) stored,
  current_amendment_id uuid,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, worker_id) references people,
  foreign key (organization_id, legal_entity_id) references legal_entities,
  foreign key (organization_id, team_id) references teams,
  -- A contract is or was active exactly when both signatures exist.
  check ((status in ('active', 'completed', 'terminated'))
         = (client_signed_at is not null and worker_signed_at is not null)),
  check ((termination is null) = (completion_date is null)),
  check (invitation is null or status = 'pending')
);
create unique index contracts_external_id on contracts (organization_id, external_id) where external_id is not null;
create unique index contracts_invitation on contracts (invitation_digest) where invitation_digest is not null;
create index contracts_list on contracts (organization_id, created_at desc, id desc);
create index contracts_updated on contracts (organization_id, updated_at, id);
create index contracts_by_status on contracts (organization_id, status, created_at desc, id desc);
create index contracts_by_type on contracts (organization_id, type, created_at desc, id desc);
create index contracts_by_worker on contracts (organization_id, worker_id, created_at desc, id desc);
create index contracts_by_legal_entity on contracts (organization_id, legal_entity_id, created_at desc, id desc);
create index contracts_by_country on contracts (organization_id, country, created_at desc, id desc);
create index contracts_by_currency on contracts (organization_id, currency, created_at desc, id desc);
create index contracts_by_start_date on contracts (organization_id, start_date, id);
create index contracts_by_team on contracts (organization_id, team_id, created_at desc, id desc)
  where team_id is not null;
create index contracts_archived on contracts (organization_id, created_at desc, id desc) where archived_at is not null;

create table contract_terms (
  organization_id uuid not null,
  contract_id     uuid not null,
  version         int not null,
  amendment_id    uuid,
  effective_from  date not null,
  terms           jsonb not null,
  created_at      timestamptz(3) not null,
  primary key (organization_id, contract_id, version),
  foreign key (organization_id, contract_id) references contracts
);

do $$
declare
  name regclass;
begin
  foreach name in array array['legal_entities', 'departments', 'working_locations', 'teams', 'people', 'team_members',
                              'search_words', 'contracts', 'contract_terms']::regclass[] loop
    call protect_tenant_table(name);
  end loop;
end
$$;
grant select, insert, update on legal_entities, departments, working_locations, teams, people, contracts to stint_app;
grant select, insert on contract_terms to stint_app;
grant select, insert, delete on team_members, search_words to stint_app;
