import assert from 'node:assert/strict'
import { raw, sql } from '#db/database.ts'
import type { TestService } from './service.ts'

/**
 * The invariants of the domain (domain design 8) that rows alone can break: each by its number, as a query for what
 * breaks it in one organization (`$1` stands for it). They hold after every step of every history.
 */
export const invariants: Readonly<Record<string, string>> = {
  '1 debits equal credits': `
    select t.id::text, e.currency from ledger_transactions t
    join ledger_entries e on e.organization_id = t.organization_id and e.transaction_id = t.id
    where t.organization_id = $1 group by t.id, e.currency
    having sum(case e.direction when 'debit' then e.amount else -e.amount end) <> 0`,
  '1 over the whole ledger': `
    select currency from ledger_entries where organization_id = $1 group by currency
    having sum(case direction when 'debit' then amount else -amount end) <> 0`,
  '2 a transaction is reversed at most once': `
    select reverses_transaction_id::text from ledger_transactions
    where organization_id = $1 and reverses_transaction_id is not null group by 1 having count(*) > 1`,
  '3 a balance is the sum of its entries': `
    select a.id::text, a.code, a.balance::text from ledger_accounts a
    left join ledger_entries e on e.organization_id = a.organization_id and e.account_id = a.id
    where a.organization_id = $1 group by a.id, a.code, a.balance
    having a.balance <> coalesce(sum(case when (e.direction = 'debit') = (a.code not in ('worker_payable', 'payments_in_transit'))
                                          then e.amount else -e.amount end), 0)`,
  '3 a balance is that after its newest entry': `
    select a.id::text, a.balance::text, newest.balance_after::text from ledger_accounts a,
      lateral (select e.balance_after from ledger_entries e
               join ledger_transactions t on t.organization_id = e.organization_id and t.id = e.transaction_id
               where e.organization_id = a.organization_id and e.account_id = a.id
               order by t.sequence desc, e.position desc limit 1) newest
    where a.organization_id = $1 and a.balance <> newest.balance_after`,
  '3 the sequence of transactions has no gap': `
    select count(*)::text, max(sequence)::text from ledger_transactions where organization_id = $1
    having count(*) <> coalesce(max(sequence), 0)`,
  '4 a source has one unreversed transaction of a kind': `
    select source_id::text, kind from ledger_transactions
    where organization_id = $1 and kind <> 'reversal' and reversed_by_transaction_id is null
    group by 1, 2 having count(*) > 1`,
  '5 payable to a worker is what is pending and not yet on its way': `
    select c.id::text, coalesce(payable.balance, 0)::text as payable, coalesce(open.total, 0)::text as open
    from contracts c
    left join (select organization_id, contract_id, sum(balance) as balance from ledger_accounts
               where code = 'worker_payable' group by 1, 2) payable
      on payable.organization_id = c.organization_id and payable.contract_id = c.id
    left join (select i.organization_id, i.contract_id, sum(i.total) as total from invoices i
               left join payments p on p.organization_id = i.organization_id and p.id = i.payment_id
               where i.status = 'pending' or (i.status = 'processing' and p.status = 'pending_approval') group by 1, 2) open
      on open.organization_id = c.organization_id and open.contract_id = c.id
    where c.organization_id = $1 and coalesce(payable.balance, 0) <> coalesce(open.total, 0)`,
  '6 a source stands on one invoice': `
    select l.source_id::text from invoice_lines l
    join invoices i on i.organization_id = l.organization_id and i.id = l.invoice_id and i.status <> 'cancelled'
    where l.organization_id = $1 and l.source_kind <> 'payment_cycle' group by 1 having count(*) > 1`,
  ...eachWork(
    '7 invoiced exactly with an invoice, paid exactly with a paid one',
    (table) => `
    select w.id::text, w.status, i.status from ${table} w
    left join invoices i on i.organization_id = w.organization_id and i.id = w.invoice_id
    where w.organization_id = $1 and ((w.status in ('invoiced', 'paid')) <> (i.id is not null)
      or (w.status = 'paid') <> (coalesce(i.status, '') = 'paid') or i.status = 'cancelled')`,
  ),
  ...eachWork(
    '7 every row of an invoice stands on one of its lines',
    (table, kind) => `
    select w.id::text from ${table} w
    where w.organization_id = $1 and w.invoice_id is not null and not exists (
      select from invoice_lines l where l.organization_id = w.organization_id and l.invoice_id = w.invoice_id
        and l.source_kind = '${kind}' and l.source_id = w.id)`,
  ),
  '8 cycles of a contract neither overlap nor leave a gap': `
    select id::text, start_date::text from (
      select c.id, c.start_date, lag(c.end_date) over (partition by c.contract_id order by c.start_date) as before,
             k.start_date as begun
      from payment_cycles c join contracts k on k.organization_id = c.organization_id and k.id = c.contract_id
      where c.organization_id = $1 and c.status <> 'cancelled' and c.start_date <= coalesce(k.last_day, 'infinity')) cycles
    where start_date <> coalesce(before + 1, begun)`,
  // A contract that is signed after its start and ended at once has cycles that timers have still to open.
  '8 the cycles of an ended contract end with its last day': `
    select k.id::text, k.last_day::text, max(c.end_date)::text from contracts k
    join payment_cycles c on c.organization_id = k.organization_id and c.contract_id = k.id and c.status <> 'cancelled'
    where k.organization_id = $1 and k.status in ('completed', 'terminated') group by k.organization_id, k.id, k.last_day
    having max(c.end_date) > k.last_day or max(c.end_date) < k.last_day and not bool_or(exists (
      select from timers t where t.organization_id = k.organization_id and t.subject_id = c.id
      and t.kind in ('cycle_open', 'cycle_close') and t.fired_at is null and t.cancelled_at is null))`,
  '8 a cycle has at most one invoice': `
    select payment_cycle_id::text from invoices
    where organization_id = $1 and payment_cycle_id is not null and status <> 'cancelled' group by 1 having count(*) > 1`,
  '9 the sums of an invoice are those of its lines': `
    select i.id::text, i.subtotal::text, i.taxable_base::text, i.vat_total::text, i.total::text from invoices i
    left join invoice_lines l on l.organization_id = i.organization_id and l.invoice_id = i.id
    where i.organization_id = $1 group by i.organization_id, i.id
    having count(l.id) = 0 or i.subtotal <> sum(l.amount) or i.total <> i.subtotal + i.vat_total
      or i.taxable_base <> coalesce(sum(l.amount) filter (where l.is_taxable), 0)
      or i.subtotal < 0 or i.taxable_base < 0 or i.vat_total < 0 or (i.reverse_charge and i.vat_total <> 0)`,
  '10 the total of a payment is that of its invoices, in one currency': `
    select p.id::text, p.total::text, sum(i.total)::text from payments p
    join payment_invoices x on x.organization_id = p.organization_id and x.payment_id = p.id
    join invoices i on i.organization_id = x.organization_id and i.id = x.invoice_id
    where p.organization_id = $1 group by p.id, p.total, p.currency
    having p.total <> sum(i.total) or bool_or(i.currency <> p.currency)`,
  '10 an invoice has the currency of its contract': `
    select i.id::text from invoices i join contracts c on c.organization_id = i.organization_id and c.id = i.contract_id
    where i.organization_id = $1 and i.currency <> c.currency`,
  ...eachDocument(
    '11 numbers are gapless in each year',
    (table) => `
    select prefix, count(*)::text, max(place)::text from (
      select regexp_replace(number, '-\\d{6}$', '') as prefix, right(number, 6)::int as place from ${table}
      where organization_id = $1) numbers
    group by prefix having count(*) <> max(place) or min(place) <> 1`,
  ),
  '12 an invoice is in one payment that is not over, and processing or paid exactly then': `
    select i.id::text, i.status, open.number::text from invoices i,
      lateral (select count(*) as number from payment_invoices x
               join payments p on p.organization_id = x.organization_id and p.id = x.payment_id
               where x.organization_id = i.organization_id and x.invoice_id = i.id
                 and p.status in ('pending_approval', 'processing', 'completed')) open
    where i.organization_id = $1 and (open.number > 1
      or (i.status in ('processing', 'paid') and not (i.status = 'paid' and i.total = 0)) <> (open.number = 1))`,
  '14 a contract is or was active exactly when both have signed': `
    select id::text, status from contracts
    where organization_id = $1
      and (status in ('active', 'completed', 'terminated')) <> (client_signed_at is not null and worker_signed_at is not null)`,
  '13 nobody approves a payment of their own': `
    select id::text, approved_by::text from payments
    where organization_id = $1 and approved_by is not null
      and (approved_by ->> 'kind' <> 'user' or (approved_by ->> 'id')::uuid = any (maker_user_ids))`,
  '14 the status of a contract moves only as the domain says': `
    select entry ->> 'contract_id', entry ->> 'previous_status', entry ->> 'status'
    from events, jsonb_array_elements(resource) as entry
    where organization_id = $1 and event_type = 'contract.status.updated' and not is_simulation
      and (entry ->> 'previous_status', entry ->> 'status') not in (('pending', 'active'), ('pending', 'rejected'),
        ('pending', 'cancelled'), ('active', 'terminated'), ('active', 'completed'))`,
  '15 one open and one active amendment of a contract': `
    select contract_id::text from amendments
    where organization_id = $1 group by 1
    having count(*) filter (where status in ('initial', 'pending')) > 1 or count(*) filter (where status = 'active') > 1`,
  '16 status and sign status of an amendment are one of six pairs': `
    select id::text, status, sign_status from amendments
    where organization_id = $1 and (status, sign_status) not in (('initial', 'pending'), ('pending', 'waiting_for_approval'),
      ('approved', 'approved'), ('active', 'approved'), ('outdated', 'approved'), ('declined', 'declined'))`,
  '17 the terms of a closed cycle give the lines of its invoice again': `
    with closed as (
      select c.organization_id, c.contract_id, c.invoice_id, c.start_date, c.end_date, c.nominal_start_date,
             c.nominal_end_date, case when k.currency in ('JPY', 'CLP') then 0 when k.currency = 'KWD' then 3 else 2 end as decimals,
             ${termIn('proration', 'c.start_date')} as proration
      from payment_cycles c
      join contracts k on k.organization_id = c.organization_id and k.id = c.contract_id and k.type = 'fixed_rate'
      where c.organization_id = $1 and c.invoice_id is not null),
    days as (
      select c.*, day::date as day, ${termIn('amount', 'day')}::numeric as amount
      from closed c, generate_series(c.start_date, c.end_date, interval '1 day') as day),
    begun as (
      select *, amount is distinct from lag(amount) over (partition by invoice_id order by day) as begins from days),
    stretches as (
      select *, count(*) filter (where begins) over (partition by invoice_id order by day) as stretch from begun),
    expected as (
      select invoice_id, min(day) as first, max(day) as last, round(amount * count(*) filter (where ${isCounted('day')}) / (
          select count(*) from generate_series(nominal_start_date, nominal_end_date, interval '1 day') as n
          where ${isCounted('n')}), decimals) as amount
      from stretches group by invoice_id, stretch, amount, proration, decimals, nominal_start_date, nominal_end_date)
    select coalesce(e.invoice_id, l.invoice_id)::text, e.first::text, e.amount::text, l.amount::text
    from (select * from expected where amount <> 0) e
    full join (select l.* from invoice_lines l join closed c on c.invoice_id = l.invoice_id
               where l.organization_id = $1 and l.type = 'fixed_rate') l
      on l.invoice_id = e.invoice_id and l.period_start = e.first and l.period_end = e.last
    where e.amount is distinct from l.amount`,
  '18 an active contract has one cycle that is active, or is to begin': `
    select c.id::text, count(y.id)::text from contracts c
    left join payment_cycles y on y.organization_id = c.organization_id and y.contract_id = c.id
      and y.status in ('upcoming', 'active')
    where c.organization_id = $1 and c.status = 'active' and c.type <> 'employee' group by c.id
    having count(y.id) not in (1, 2) or count(y.id) filter (where y.status = 'active') > 1
      or count(y.id) filter (where y.status = 'upcoming') > 1`,
  '19 a timer that was cancelled has not fired': `
    select kind, subject_id::text from timers
    where organization_id = $1 and fired_at is not null and cancelled_at is not null`,
  '23 an event is about one to a hundred things, and of a contract says which': `
    select event_id::text, event_type from events
    where organization_id = $1 and (jsonb_array_length(resource) not between 1 and 100
      or (event_type like 'contract.%' and exists (select from jsonb_array_elements(resource) as entry
            where not entry ?& array['contract_id', 'worker_email', 'status', 'created_at'])))`,
  '31 one default legal entity': `
    select count(*)::text from legal_entities where organization_id = $1 and is_default and deleted_at is null having count(*) <> 1`,
  '31 departments stand in trees of ten levels at most': `
    with recursive above as (
      select id, parent_id, 1 as level from departments where organization_id = $1 and deleted_at is null
      union all
      select a.id, d.parent_id, a.level + 1 from above a
      join departments d on d.organization_id = $1 and d.id = a.parent_id where a.level < 12)
    select id::text, max(level)::text from above group by id having max(level) > 10`,
  '31 people have distinct e-mails': `
    select email_lower from people where organization_id = $1 and deleted_at is null and email_lower is not null
    group by 1 having count(*) > 1`,
  '32 a person has the status that follows from the contracts': `
    select p.id::text, p.status from people p
    left join contracts c on c.organization_id = p.organization_id and c.worker_id = p.id
    where p.organization_id = $1 and p.deleted_at is null group by p.id, p.status
    having p.status <> case
      when bool_or(c.status = 'active' and c.completion_date is null) then 'active'
      when bool_or(c.status = 'active') then 'offboarding'
      when bool_or(c.status = 'pending') then 'pending'
      when count(c.id) > 0 then 'inactive' else 'active' end`,
}

/** A term in force on a day, of the contract `c`. */
function termIn(term: string, day: string): string {
  return `(select t.terms ->> '${term}' from contract_terms t
    where t.organization_id = c.organization_id and t.contract_id = c.contract_id and t.effective_from <= ${day}
    order by t.effective_from desc, t.version desc limit 1)`
}

/** Holds of a day that counts when a month is shared out. */
function isCounted(day: string): string {
  return `proration = 'calendar_days' or extract(isodow from ${day}) < 6`
}

function eachWork(name: string, query: (table: string, kind: string) => string) {
  return {
    [`${name}: timesheets`]: query('timesheets', 'timesheet'),
    [`${name}: adjustments`]: query('invoice_adjustments', 'invoice_adjustment'),
  }
}

function eachDocument(name: string, query: (table: string) => string) {
  return { [`${name}: invoices`]: query('invoices'), [`${name}: payments`]: query('payments') }
}

/** Fails with every invariant that the rows of an organization break, and the rows that break it. */
export async function holdInvariants(
  { database }: Pick<TestService, 'database'>,
  organization_id: string,
): Promise<void> {
  const all = Object.entries(invariants)
  const found = await database.database.transaction({ role: 'owner', organization_id, read_only: true }, async (tx) => {
    const broken: string[] = []
    for (const [name, query] of all) {
      const rows = await tx.rows(sql`${raw(query.replaceAll('$1', `'${organization_id}'::uuid`))} limit 5`)
      if (rows.length > 0) broken.push(`${name}: ${JSON.stringify(rows)}`)
    }
    return broken
  })
  assert.deepEqual(found, [])
}
