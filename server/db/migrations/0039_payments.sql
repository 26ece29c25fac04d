create table payments (
  organization_id uuid not null references organizations,
  id              uuid not null,
  number          text not null,
  status          text not null check (status in ('pending_approval', 'processing', 'completed', 'failed', 'cancelled')),
  currency        text not null,
  total           numeric not null check (total > 0),
  fee             numeric not null check (fee >= 0),
  provider        text not null,
  reference       text,
  value_date      date,
  external_id     text,
  created_by      jsonb not null,
  -- The users behind whoever made it: none of them approves it.
  maker_user_ids  uuid[] not null,
  approved_by     jsonb,
  approved_at     timestamptz(3),
  initiated_at    timestamptz(3),
  completed_at    timestamptz(3),
  failed_at       timestamptz(3),
  cancelled_at    timestamptz(3),
  failure_reason  text,
  cancel_reason   text,
  -- When the provider is to be asked next; null while there is nothing to ask.
  ask_at          timestamptz(3),
  -- When the provider first said that it has it.
  accepted_at     timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (organization_id, id),
  check ((status in ('processing', 'completed', 'failed')) = (initiated_at is not null)),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'failed') = (failed_at is not null and failure_reason is not null)),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check ((approved_at is null) = (approved_by is null)),
  check (ask_at is null or status = 'processing')
);
create unique index payments_number on payments (organization_id, number);
create unique index payments_external_id on payments (organization_id, external_id) where external_id is not null;
create index payments_list on payments (organization_id, created_at desc, id desc);
create index payments_updated on payments (organization_id, updated_at, id);
create index payments_filtered on payments (organization_id, status, currency);
create index payments_to_ask on payments (ask_at) where ask_at is not null;

create table payment_invoices (
  organization_id uuid not null,
  payment_id      uuid not null,
  invoice_id      uuid not null,
  -- False once the payment has failed or was cancelled: the invoice may then be in another one.
  is_standing     boolean not null,
  primary key (organization_id, payment_id, invoice_id),
  foreign key (organization_id, payment_id) references payments,
  foreign key (organization_id, invoice_id) references invoices
);
create unique index payment_invoices_standing on payment_invoices (organization_id, invoice_id) where is_standing;
create index payment_invoices_of_invoice on payment_invoices (organization_id, invoice_id, payment_id);

call protect_tenant_table('payments');
call protect_tenant_table('payment_invoices');
grant select, insert, update on payments to stint_app;
grant select, insert, update (is_standing) on payment_invoices to stint_app;

-- The job that asks providers looks over all organizations.
create policy engine on payments for select to stint_engine using (true);
grant select (organization_id, id, ask_at) on payments to stint_engine;
