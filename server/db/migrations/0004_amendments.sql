create table amendments (
  organization_id  uuid not null references organizations,
  id               uuid not null,
  contract_id      uuid not null,
  status           text not null,
  sign_status      text not null,
  effective_date   date,
  reason           text,
  -- The change as it was proposed, and what it makes of the terms in force.
  terms            jsonb not null,
  changes          jsonb not null,
  amount           numeric check (amount > 0),
  scale            text,
  client_name      text,
  client_signed_at timestamptz(3),
  client_signed_by jsonb,
  worker_name      text,
  worker_signed_at timestamptz(3),
  activated_at     timestamptz(3),
  outdated_at      timestamptz(3),
  declined_at      timestamptz(3),
  declined_by      jsonb,
  decline_reason   text,
  created_by       jsonb not null,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  check ((status, sign_status) in (('initial', 'pending'), ('pending', 'waiting_for_approval'), ('approved', 'approved'),
                                   ('active', 'approved'), ('outdated', 'approved'), ('declined', 'declined'))),
  check ((sign_status = 'approved') = (worker_signed_at is not null)),
  check (case sign_status when 'pending' then client_signed_at is null
                          when 'declined' then true
                          else client_signed_at is not null end),
  check (sign_status <> 'approved' or effective_date is not null),
  check ((status = 'declined') = (declined_at is not null))
);
create index amendments_list on amendments (organization_id, contract_id, created_at desc, id desc);

-- Of one contract at most one amendment is open, at most one is active, and the approved ones have different dates.
create unique index amendments_open on amendments (organization_id, contract_id)
  where status in ('initial', 'pending');
create unique index amendments_active on amendments (organization_id, contract_id) where status = 'active';
create unique index amendments_approved on amendments (organization_id, contract_id, effective_date)
  where status = 'approved';

call protect_tenant_table('amendments');
grant select, insert, update on amendments to stint_app;

alter table contracts add foreign key (organization_id, current_amendment_id) references amendments;
alter table contract_terms add foreign key (organization_id, amendment_id) references amendments;

-- The sweep asks each organization for its next due timer; timers_due answers which organizations have one.
create index timers_of_organization on timers (organization_id, due_at, priority, contract_id, id)
  where fired_at is null and cancelled_at is null;
create index timers_waiting on timers (retry_at) where retry_at is not null and fired_at is null and cancelled_at is null;
