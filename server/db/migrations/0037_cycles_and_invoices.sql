-- The periods that a contract is paid by. Open ones (upcoming, active) follow the contract; the others stand.
create table payment_cycles (
  organization_id    uuid not null references organizations,
  id                 uuid not null,
  contract_id        uuid not null,
  start_date         date not null,
  end_date           date not null,
  nominal_start_date date not null,
  nominal_end_date   date not null,
  issue_date         date not null,
  due_date           date not null,
  closes_at          timestamptz(3) not null,
  currency           text not null,
  status             text not null check (status in ('upcoming', 'active', 'invoiced', 'paid', 'skipped', 'cancelled')),
  invoice_id         uuid,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  check (nominal_start_date <= start_date and start_date <= end_date and end_date <= nominal_end_date),
  check ((status in ('invoiced', 'paid')) = (invoice_id is not null))
);
create index payment_cycles_list on payment_cycles (organization_id, contract_id, start_date, id);
create unique index payment_cycles_start on payment_cycles (organization_id, contract_id, start_date)
  where status <> 'cancelled';
create unique index payment_cycles_active on payment_cycles (organization_id, contract_id) where status = 'active';
create unique index payment_cycles_upcoming on payment_cycles (organization_id, contract_id) where status = 'upcoming';

create table invoices (
  organization_id  uuid not null references organizations,
  id               uuid not null,
  number           text not null,
  contract_id      uuid not null,
  worker_id        uuid not null,
  legal_entity_id  uuid not null,
  status           text not null check (status in ('pending', 'processing', 'paid', 'cancelled')),
  is_off_cycle     boolean not null,
  is_overdue       boolean not null,
  payment_cycle_id uuid,
  period_start     date,
  period_end       date,
  currency         text not null,
  subtotal         numeric not null check (subtotal >= 0),
  taxable_base     numeric not null check (taxable_base >= 0),
  vat_rate         numeric,
  reverse_charge   boolean not null,
  vat_total        numeric not null check (vat_total >= 0),
  total            numeric not null,
  issue_date       date not null,
  due_date         date not null check (due_date >= issue_date),
  paid_at          timestamptz(3),
  cancelled_at     timestamptz(3),
  cancel_reason    text,
  -- The payment that it is in, or was paid by.
  payment_id       uuid,
  -- Both parties as they were when it was issued.
  supplier         jsonb not null,
  customer         jsonb not null,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  foreign key (organization_id, worker_id) references people,
  foreign key (organization_id, legal_entity_id) references legal_entities,
  foreign key (organization_id, payment_cycle_id) references payment_cycles,
  check (total = subtotal + vat_total),
  check (is_off_cycle = (payment_cycle_id is null)),
  check ((status = 'paid') = (paid_at is not null)),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check (case status when 'processing' then payment_id is not null
                     when 'paid' then payment_id is not null or total = 0
                     else payment_id is null end),
  check (not is_overdue or status in ('pending', 'processing'))
);
create unique index invoices_number on invoices (organization_id, number);
-- A cycle has at most one invoice that stands.
create unique index invoices_of_cycle on invoices (organization_id, payment_cycle_id)
  where payment_cycle_id is not null and status <> 'cancelled';
create index invoices_list on invoices (organization_id, created_at desc, id desc);
create index invoices_updated on invoices (organization_id, updated_at, id);
create index invoices_by_status on invoices (organization_id, status, created_at desc, id desc);
create index invoices_by_contract on invoices (organization_id, contract_id, created_at desc, id desc);
create index invoices_by_worker on invoices (organization_id, worker_id, created_at desc, id desc);
create index invoices_by_issue_date on invoices (organization_id, issue_date, number);
create index invoices_by_due_date on invoices (organization_id, due_date, id);
create index invoices_overdue on invoices (organization_id, created_at desc, id desc) where is_overdue;
create index invoices_by_payment on invoices (organization_id, payment_id, id) where payment_id is not null;

alter table payment_cycles add foreign key (organization_id, invoice_id) references invoices;
alter table timesheets add foreign key (organization_id, payment_cycle_id) references payment_cycles,
                       add foreign key (organization_id, invoice_id) references invoices;
alter table invoice_adjustments add foreign key (organization_id, payment_cycle_id) references payment_cycles,
                                add foreign key (organization_id, invoice_id) references invoices;

create table invoice_lines (
  organization_id uuid not null,
  id              uuid not null,
  invoice_id      uuid not null,
  position        int not null check (position > 0),
  type            text not null check (type in ('fixed_rate', 'timesheet', 'bonus', 'commission', 'deduction', 'expense',
                                                'milestone', 'overtime', 'other')),
  description     text not null,
  quantity        numeric not null,
  unit_price      numeric not null,
  amount          numeric not null check (amount <> 0),
  is_taxable      boolean not null,
  period_start    date,
  period_end      date,
  source_kind     text not null check (source_kind in ('payment_cycle', 'timesheet', 'invoice_adjustment')),
  source_id       uuid not null,
  -- False once the invoice is cancelled: what it collected may then stand on another one.
  is_standing     boolean not null,
  primary key (organization_id, id),
  unique (organization_id, invoice_id, position),
  foreign key (organization_id, invoice_id) references invoices
);
-- A timesheet or an adjustment stands on at most one invoice.
create unique index invoice_lines_source on invoice_lines (organization_id, source_id)
  where is_standing and source_kind <> 'payment_cycle';

-- The last number given per kind of document and year. The row is locked until the number's document is committed, so
-- that no number is left out.
create table document_counters (
  organization_id uuid not null references organizations,
  kind            text not null check (kind in ('invoice', 'payment')),
  year            int not null,
  last            int not null,
  primary key (organization_id, kind, year)
);

do $$
declare
  name regclass;
begin
  foreach name in array array['payment_cycles', 'invoices', 'invoice_lines', 'document_counters']::regclass[] loop
    call protect_tenant_table(name);
  end loop;
end
$$;
grant select, insert, update on payment_cycles, document_counters to stint_app;
-- An issued invoice changes in its status only.
grant select, insert, update (status, is_overdue, paid_at, cancelled_at, cancel_reason, payment_id, updated_at)
  on invoices to stint_app;
grant select, insert, update (is_standing) on invoice_lines to stint_app;
