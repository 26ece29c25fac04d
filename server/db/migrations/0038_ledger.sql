-- The ledger of each organization: accounts, transactions, entries. Its rules hold here, whatever the program does.

-- The number of the newest transaction; whoever books holds it, so that transactions of one organization follow each other.
create table ledger_heads (
  organization_id uuid primary key references organizations,
  sequence        int not null
);

create table ledger_accounts (
  organization_id uuid not null references organizations,
  id              uuid not null,
  code            text not null check (code in ('cash', 'payments_in_transit', 'vat_receivable', 'worker_payable',
                                                'service_cost', 'reimbursed_expenses', 'payment_fees')),
  currency        text not null,
  contract_id     uuid,
  -- On the normal side of the account.
  balance         numeric not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts,
  unique nulls not distinct (organization_id, code, currency, contract_id),
  unique (organization_id, id, currency),
  check ((code = 'worker_payable') = (contract_id is not null))
);
create index ledger_accounts_list on ledger_accounts (organization_id, created_at desc, id desc);
create index ledger_accounts_of_contract on ledger_accounts (organization_id, contract_id) where contract_id is not null;

create table ledger_transactions (
  organization_id            uuid not null references organizations,
  id                         uuid not null,
  sequence                   int not null check (sequence > 0),
  -- Refers to the transaction before it, so that no number is missing.
  previous_sequence          int generated always as (nullif(sequence - 1, 0)) stored,
  kind                       text not null
    check (kind in ('invoice_issued', 'payment_initiated', 'payment_completed', 'reversal')),
  source_kind                text not null check (source_kind in ('invoice', 'payment')),
  source_id                  uuid not null,
  description                text not null,
  effective_date             date not null,
  posted_at                  timestamptz(3) not null,
  reverses_transaction_id    uuid,
  reversed_by_transaction_id uuid,
  created_at                 timestamptz(3) not null,
  updated_at                 timestamptz(3) not null,
  primary key (organization_id, id),
  unique (organization_id, sequence),
  foreign key (organization_id, previous_sequence) references ledger_transactions (organization_id, sequence),
  -- Nothing is booked twice, and reversed at most once.
  unique (organization_id, source_id, kind),
  unique (organization_id, reverses_transaction_id),
  unique (organization_id, id, reverses_transaction_id),
  foreign key (organization_id, reverses_transaction_id) references ledger_transactions,
  foreign key (organization_id, reversed_by_transaction_id, id)
    references ledger_transactions (organization_id, id, reverses_transaction_id),
  check ((kind = 'reversal') = (reverses_transaction_id is not null)),
  check (kind <> 'reversal' or reversed_by_transaction_id is null)
);
create index ledger_transactions_by_date on ledger_transactions (organization_id, effective_date, sequence);

create table ledger_entries (
  organization_id uuid not null,
  id              uuid not null,
  transaction_id  uuid not null,
  position        int not null,
  account_id      uuid not null,
  direction       text not null check (direction in ('debit', 'credit')),
  amount          numeric not null check (amount > 0),
  currency        text not null,
  balance_after   numeric not null,
  primary key (organization_id, id),
  unique (organization_id, transaction_id, position),
  unique (organization_id, account_id, transaction_id),
  foreign key (organization_id, transaction_id) references ledger_transactions,
  foreign key (organization_id, account_id, currency) references ledger_accounts (organization_id, id, currency)
);

-- True when a transaction has entries, and debits equal credits in each of its currencies. PL/pgSQL keeps the plan; a
-- function in SQL is planned at each call.
create function ledger_transaction_is_balanced(organization uuid, transaction uuid) returns boolean
language plpgsql stable as $$
begin
  return (
    select coalesce(bool_and(c.difference = 0), false) from (
      select sum(case direction when 'debit' then amount else -amount end) as difference from ledger_entries
      where organization_id = organization and transaction_id = transaction group by currency) c);
end
$$;

-- Two triggers demand it: at the commit of every transaction, and of entries that come later.
create function require_balanced_ledger_transaction() returns trigger language plpgsql as $$
begin
  if not ledger_transaction_is_balanced(new.organization_id, new.id) then
    raise exception 'debits and credits of ledger transaction % differ', new.id
      using errcode = 'check_violation', constraint = 'ledger_transactions_balanced';
  end if;
  return null;
end
$$;
create constraint trigger ledger_transactions_balanced after insert on ledger_transactions
  deferrable initially deferred for each row execute function require_balanced_ledger_transaction();

create function require_balanced_ledger_entries() returns trigger language plpgsql as $$
begin
  if exists (select from (select distinct organization_id, transaction_id from added) t
             where not ledger_transaction_is_balanced(t.organization_id, t.transaction_id)) then
    raise exception 'the entries of a ledger transaction come in one statement, and their debits equal their credits'
      using errcode = 'check_violation', constraint = 'ledger_entries_balanced';
  end if;
  return null;
end
$$;
create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as added for each statement execute function require_balanced_ledger_entries();

-- Nothing that was booked changes, for the owner of the tables neither; the link to its reversal is set once.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'what was booked in the ledger neither changes nor goes'
    using errcode = 'restrict_violation', constraint = 'ledger_is_append_only';
end
$$;
create trigger ledger_entries_kept before update or delete on ledger_entries
  for each row execute function refuse_ledger_change();
create trigger ledger_transactions_kept before delete on ledger_transactions
  for each row execute function refuse_ledger_change();
create trigger ledger_transactions_unchanged after update on ledger_transactions for each row
  when (old.reversed_by_transaction_id is not null or new.reversed_by_transaction_id is null
        or to_jsonb(old) - array['reversed_by_transaction_id', 'updated_at']
           <> to_jsonb(new) - array['reversed_by_transaction_id', 'updated_at'])
  execute function refuse_ledger_change();

call protect_tenant_table('ledger_heads');
call protect_tenant_table('ledger_accounts');
call protect_tenant_table('ledger_transactions');
call protect_tenant_table('ledger_entries');
grant select, insert, update on ledger_heads to stint_app;
grant select, insert, update (balance, updated_at) on ledger_accounts to stint_app;
grant select, insert, update (reversed_by_transaction_id, updated_at) on ledger_transactions to stint_app;
grant select, insert on ledger_entries to stint_app;
