-- Work to be paid (domain rules 2.5 and 3.3): reported work, and single amounts beside it. The worker is that of the contract, which
-- never changes; it stands here for the lists. The keys to payment cycles and invoices come with those tables.
create table timesheets (
  organization_id  uuid not null,
  id               uuid not null,
  contract_id      uuid not null,
  worker_id        uuid not null,
  status           text not null
    check (status in ('pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable')),
  start_date       date not null,
  end_date         date not null check (end_date >= start_date),
  quantity         numeric not null check (quantity > 0),
  -- The terms in force on end_date, frozen at approval.
  scale            text not null check (scale in ('hourly', 'daily')),
  rate             numeric not null check (rate > 0),
  total_amount     numeric not null check (total_amount >= 0),
  currency         text not null,
  description      text not null,
  external_id      text,
  submitted_by     jsonb not null,
  review           jsonb,
  -- Business time of the approval, which decides in which cycle it is collected; an invoice that is cancelled leaves it.
  approved_at      timestamptz(3),
  payment_cycle_id uuid,
  invoice_id       uuid,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  deleted_at       timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  foreign key (organization_id, worker_id) references people,
  constraint timesheets_on_invoice check ((invoice_id is not null) = (status in ('invoiced', 'paid'))),
  constraint timesheets_in_cycle check (payment_cycle_id is null or invoice_id is not null),
  constraint timesheets_approved check (case when status in ('approved', 'invoiced', 'paid') then approved_at is not null
                                             when status in ('pending', 'declined') then approved_at is null
                                             else true end),
  constraint timesheets_deleted check (deleted_at is null or status in ('pending', 'approved', 'declined'))
);
create unique index timesheets_external_id on timesheets (organization_id, external_id)
  where external_id is not null and deleted_at is null;
create index timesheets_list on timesheets (organization_id, created_at desc, id desc);
create index timesheets_updated on timesheets (organization_id, updated_at, id);
create index timesheets_by_contract on timesheets (organization_id, contract_id, created_at desc, id desc);
create index timesheets_by_worker on timesheets (organization_id, worker_id, created_at desc, id desc);
create index timesheets_filtered on timesheets (organization_id, status, end_date);
create index timesheets_by_invoice on timesheets (organization_id, invoice_id) where invoice_id is not null;
create index timesheets_by_cycle on timesheets (organization_id, payment_cycle_id) where payment_cycle_id is not null;
-- Rows that a cycle or the final settlement of a contract collects.
create index timesheets_open on timesheets (organization_id, contract_id, end_date, id)
  where status in ('pending', 'approved') and deleted_at is null;

create table invoice_adjustments (
  organization_id  uuid not null,
  id               uuid not null,
  contract_id      uuid not null,
  worker_id        uuid not null,
  type             text not null
    check (type in ('bonus', 'commission', 'deduction', 'expense', 'milestone', 'overtime', 'other')),
  status           text not null
    check (status in ('pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable')),
  amount           numeric not null check (amount > 0),
  currency         text not null,
  description      text not null,
  date             date not null,
  is_taxable       boolean not null,
  is_recurring     boolean not null,
  recurring_until  date,
  recurred_from_id uuid,
  external_id      text,
  submitted_by     jsonb not null,
  review           jsonb,
  approved_at      timestamptz(3),
  payment_cycle_id uuid,
  invoice_id       uuid,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  deleted_at       timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  foreign key (organization_id, worker_id) references people,
  foreign key (organization_id, recurred_from_id) references invoice_adjustments,
  constraint invoice_adjustments_on_invoice check ((invoice_id is not null) = (status in ('invoiced', 'paid'))),
  constraint invoice_adjustments_in_cycle check (payment_cycle_id is null or invoice_id is not null),
  constraint invoice_adjustments_approved
    check (case when status in ('approved', 'invoiced', 'paid') then approved_at is not null
                when status in ('pending', 'declined') then approved_at is null
                else true end),
  constraint invoice_adjustments_deleted check (deleted_at is null or status in ('pending', 'approved', 'declined'))
);
create unique index invoice_adjustments_external_id on invoice_adjustments (organization_id, external_id)
  where external_id is not null and deleted_at is null;
-- One copy follows each collected recurring adjustment, whatever becomes of it.
create unique index invoice_adjustments_recurred on invoice_adjustments (organization_id, recurred_from_id)
  where recurred_from_id is not null;
create index invoice_adjustments_list on invoice_adjustments (organization_id, created_at desc, id desc);
create index invoice_adjustments_updated on invoice_adjustments (organization_id, updated_at, id);
create index invoice_adjustments_by_contract on invoice_adjustments
  (organization_id, contract_id, created_at desc, id desc);
create index invoice_adjustments_by_worker on invoice_adjustments (organization_id, worker_id, created_at desc, id desc);
create index invoice_adjustments_filtered on invoice_adjustments (organization_id, status, type, date);
create index invoice_adjustments_by_invoice on invoice_adjustments (organization_id, invoice_id)
  where invoice_id is not null;
create index invoice_adjustments_by_cycle on invoice_adjustments (organization_id, payment_cycle_id)
  where payment_cycle_id is not null;
create index invoice_adjustments_open on invoice_adjustments (organization_id, contract_id, date, id)
  where status in ('pending', 'approved') and deleted_at is null;

call protect_tenant_table('timesheets');
call protect_tenant_table('invoice_adjustments');
grant select, insert, update on timesheets, invoice_adjustments to stint_app;

-- No more work is reported on a contract that has been settled.
create index timers_of_settlement on timers (organization_id, subject_id) where kind = 'final_settlement';
