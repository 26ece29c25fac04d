create table time_off_policies (
  organization_id       uuid not null references organizations,
  id                    uuid not null,
  name                  text not null,
  leave_type            text not null
    check (leave_type in ('vacation', 'sick', 'parental', 'family', 'public_duty', 'unpaid', 'other')),
  counting              text not null check (counting in ('working_days', 'calendar_days')),
  annual_allowance_days numeric check (annual_allowance_days between 0 and 366),
  is_paid               boolean not null,
  requires_approval     boolean not null,
  allow_negative        boolean not null,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  deleted_at            timestamptz(3),
  primary key (organization_id, id)
);
create unique index time_off_policies_name on time_off_policies (organization_id, name) where deleted_at is null;
create index time_off_policies_list on time_off_policies (organization_id, created_at desc, id desc);
create index time_off_policies_updated on time_off_policies (organization_id, updated_at, id);

-- Its organization follows from the keys to people and policies.
create table time_offs (
  organization_id uuid not null,
  id              uuid not null,
  person_id       uuid not null,
  policy_id       uuid not null,
  -- As the policy had them at the request: what was granted as paid stays paid.
  leave_type      text not null,
  is_paid         boolean not null,
  status          text not null check (status in ('requested', 'approved', 'rejected', 'used', 'cancelled')),
  start_date      date not null,
  end_date        date not null check (end_date between start_date and start_date + 365),
  start_half_day  boolean not null,
  end_half_day    boolean not null,
  days            numeric not null check (days > 0 and days * 2 = trunc(days * 2)),
  -- The part of the days that falls into the year after that of the start: 366 days touch two years at most.
  days_next_year  numeric not null check (days_next_year between 0 and days),
  reason          text,
  review          jsonb,
  requested_by    jsonb not null,
  cancelled_at    timestamptz(3),
  cancel_reason   text,
  external_id     text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, person_id) references people,
  foreign key (organization_id, policy_id) references time_off_policies,
  check (start_date < end_date or not (start_half_day and end_half_day)),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check (status in ('requested', 'cancelled') or review is not null)
);
create unique index time_offs_external_id on time_offs (organization_id, external_id) where external_id is not null;
create index time_offs_list on time_offs (organization_id, created_at desc, id desc);
create index time_offs_updated on time_offs (organization_id, updated_at, id);
create index time_offs_by_person on time_offs (organization_id, person_id, created_at desc, id desc);
-- One narrow index for rare values of the filters by few values, as contracts have it.
create index time_offs_filtered on time_offs (organization_id, status, leave_type);
create index time_offs_by_policy on time_offs (organization_id, policy_id, created_at desc, id desc);
create index time_offs_by_dates on time_offs (organization_id, end_date, start_date);

call protect_tenant_table('time_off_policies');
call protect_tenant_table('time_offs');
grant select, insert, update on time_off_policies, time_offs to stint_app;
